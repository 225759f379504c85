// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/client_handshake.h"

#include "domA/ring/request_ring.h"
#include "frontend/channel/layout.h"
#include "frontend/channel/producer.h"
#include "frontend/transport/local/local_transport.h"
#include "tests/fuzz/require.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

namespace pegasus::fuzz {
namespace {

// The socket on which this process's daemon listens.
class Listener {
public:
  Listener() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    auto const path =
        std::filesystem::temp_directory_path() / ("pegasus-client-fuzz-" + std::to_string(getpid()));
    std::snprintf(address.sun_path, sizeof address.sun_path, "%s", path.c_str());
    unlink(address.sun_path);
    socket_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    require(bind(socket_, reinterpret_cast<sockaddr const*>(&address), sizeof address) == 0);
    require(listen(socket_, 1) == 0 && setenv("PEGASUS_SOCKET", address.sun_path, 1) == 0);
    path_ = address.sun_path;
  }
  ~Listener() {
    unlink(path_.c_str());
    close(socket_);
  }
  Listener(Listener const&) = delete;
  Listener& operator=(Listener const&) = delete;
  [[nodiscard]] int accept_one() const { return accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC); }

private:
  int socket_;
  std::string path_;
};

struct Reply {
  pegasus_connect_reply connect_reply{};
  std::size_t bytes = 0; // how much of it is sent
  int pages = -1;        // a memfd
  unsigned copies = 0;   // (copies + 1) % 4 copies of that descriptor are sent
};

template <class T> void change(Input& input, T& value) {
  for (unsigned lies = input.take<std::uint8_t>() % 8; lies > 0; --lies) {
    auto const at = input.take<std::uint16_t>() % sizeof value;
    auto const lie = input.take_bytes(std::min<std::size_t>(sizeof value - at, 4));
    std::memcpy(reinterpret_cast<std::byte*>(&value) + at, lie.data(), lie.size());
  }
}

Reply make_reply(Input& input) {
  Reply reply;
  reply.bytes = sizeof reply.connect_reply - std::min<std::size_t>(input.take<std::uint8_t>(), 200);
  auto const shape = input.take<std::uint8_t>();
  ring::Geometry const geometry = ring::geometry_for(PEGASUS_SLOTS_MIN << shape % 3, PEGASUS_ARENA_MIN);
  auto const header_bytes = sizeof(pegasus_channel_header);
  std::unique_ptr<std::byte[]> const pages(new std::byte[geometry.total_bytes]());
  ring::initialize(pages.get(), geometry);
  reply.connect_reply.magic = PEGASUS_CONNECT_REPLY_MAGIC;
  reply.connect_reply.version = PEGASUS_PROTOCOL_VERSION;
  reply.connect_reply.channel_bytes = geometry.total_bytes;
  reply.connect_reply.slots = geometry.slots;
  reply.connect_reply.arena_bytes = geometry.arena_bytes;
  change(input, reply.connect_reply);
  change(input, *reinterpret_cast<pegasus_channel_header*>(pages.get()));
  // The library asks again without end for a domain that must wait, and tells the user why.
  // And once in version 1, for a pegasusd that speaks no other.
  if (reply.connect_reply.error == PEGASUS_ASK_AGAIN || reply.connect_reply.error == EPROTONOSUPPORT)
    reply.connect_reply.error = 0;
  reply.copies = shape / 4 % 4; // the connect reply should come with one descriptor
  reply.pages = memfd_create("pages", MFD_CLOEXEC);
  off_t const file_bytes = shape / 16 % 4 == 3 ? input.take<std::uint16_t>() * off_t{64}
                                               : static_cast<off_t>(geometry.total_bytes);
  require(ftruncate(reply.pages, file_bytes) == 0);
  auto const written = std::min<std::size_t>(header_bytes, static_cast<std::size_t>(file_bytes));
  require(pwrite(reply.pages, pages.get(), written, 0) == static_cast<ssize_t>(written));
  return reply;
}

void send(int socket, Reply const& reply) {
  iovec part{const_cast<pegasus_connect_reply*>(&reply.connect_reply), reply.bytes};
  int const descriptors[] = {reply.pages, reply.pages, reply.pages};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptors)]{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (unsigned const copies = (reply.copies + 1) % 4; copies != 0) { // an input of zeros sends one
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(copies * sizeof(int));
    cmsghdr* const first = CMSG_FIRSTHDR(&message);
    first->cmsg_level = SOL_SOCKET;
    first->cmsg_type = SCM_RIGHTS;
    first->cmsg_len = CMSG_LEN(copies * sizeof(int));
    std::memcpy(CMSG_DATA(first), descriptors, copies * sizeof(int));
  }
  (void)sendmsg(socket, &message, MSG_NOSIGNAL);
}

// Writes all of an accepted layout: it must lie within the mapped pages.
void use(frontend::LocalTransport& transport) {
  auto const layout = frontend::layout_of(transport.memory(), transport.connect_reply());
  if (layout) {
    frontend::Producer producer(transport.memory(), *layout);
    frontend::Reservation reservation;
    for (std::uint32_t i = 0; i < layout->slots; ++i)
      if (producer.reserve(producer.max_data_bytes(), reservation)) {
        std::fill(reservation.data.begin(), reservation.data.end(), std::byte{1});
        producer.publish(reservation, 1, {}, {}, true);
        (void)producer.reply(reservation.sequence);
      }
  }
  (void)munmap(transport.memory(), transport.connect_reply().channel_bytes);
  transport.abandon();
}

// If the guest's library leaked a descriptor, the count would grow with each connection.
int open_descriptors() {
  int open = 0;
  for (int descriptor = 0; descriptor < 64; ++descriptor)
    open += fcntl(descriptor, F_GETFD) >= 0 ? 1 : 0;
  return open;
}

} // namespace

void shake_hostile_hand(Input input) {
  static Listener const listener;
  int const open_before = open_descriptors();
  Reply const reply = make_reply(input);
  std::thread daemon([&] {
    int const guest = listener.accept_one();
    pegasus_connect_request connect_request;
    require(recv(guest, &connect_request, sizeof connect_request, 0) == sizeof connect_request);
    send(guest, reply);
    close(guest);
  });
  frontend::TransportError error{};
  std::unique_ptr<frontend::LocalTransport> const transport(
      frontend::LocalTransport::open(PEGASUS_CONNECT_TASK, error));
  daemon.join();
  require(transport != nullptr || (error.status != 0 && error.message[0] != '\0'));
  if (transport != nullptr) use(*transport);
  close(reply.pages);
  require(open_descriptors() == open_before);
}

} // namespace pegasus::fuzz
