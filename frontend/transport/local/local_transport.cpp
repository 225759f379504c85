// SPDX-License-Identifier: Apache-2.0
#include "frontend/transport/local/local_transport.h"

#include "base/futex.h"
#include "frontend/transport/asking_again.h"
#include "frontend/transport/fail.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace pegasus::frontend {
namespace {

// The first candidate that exists: an explicit path, the user's daemon, the system's daemon.
bool find_socket(sockaddr_un& address, TransportError& error) {
  address.sun_family = AF_UNIX;
  auto set = [&](char const* directory, char const* name) {
    int const length = std::snprintf(address.sun_path, sizeof address.sun_path, "%s%s", directory, name);
    return length > 0 && static_cast<std::size_t>(length) < sizeof address.sun_path;
  };
  if (char const* path = std::getenv("PEGASUS_SOCKET"); path != nullptr && *path != '\0')
    return set(path, "") ||
           fail(error, no_device, "PEGASUS_SOCKET is longer than a socket's path may be (107 bytes)");
  char const* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && *runtime != '\0' && set(runtime, "/pegasus/guest.sock") &&
      access(address.sun_path, F_OK) == 0)
    return true;
  return set("/run/pegasus", "/guest.sock");
}

bool connect_to(sockaddr_un const& address, int& out, TransportError& error) {
  int const fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (fd < 0) return fail(error, no_device, "cannot make a socket: %s", std::strerror(errno));
  if (connect(fd, reinterpret_cast<sockaddr const*>(&address), sizeof address) != 0) {
    int const reason = errno;
    close(fd);
    if (reason == EACCES || reason == EPERM)
      return fail(error, no_device,
                  "no permission to use %s: ask its owner to let you in, or start the program with `pegasus "
                  "run -- PROGRAM`",
                  address.sun_path);
    return fail(error, no_device,
                "no accelerator daemon at %s (%s): start pegasusd, or start the program with `pegasus run -- "
                "PROGRAM`",
                address.sun_path, std::strerror(reason));
  }
  out = fd;
  return true;
}

// The listener receives the program's data and decides what it computes with. The kernel recorded its
// user at listen(2).
bool trust_listener(int fd, char const* path, TransportError& error) {
  ucred listener{};
  socklen_t bytes = sizeof listener;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &listener, &bytes) != 0)
    return fail(error, no_device, "cannot see who listens at %s: %s", path, std::strerror(errno));
  return listener.uid == 0 || listener.uid == geteuid() ||
         fail(error, no_device,
              "%s belongs to user %u, who is neither root nor you: use root's daemon or one of your own",
              path, listener.uid);
}

void copy_name(char (&target)[PEGASUS_NAME_BYTES], char const* source) {
  std::snprintf(target, sizeof target, "%s", source == nullptr ? "" : source);
}

// One connect reply packet, with its files.
ssize_t receive(int socket, pegasus_connect_reply& connect_reply, LocalTransport::Files& files) {
  iovec part{&connect_reply, sizeof connect_reply};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof files)];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = CMSG_LEN(sizeof files); // no room for more: they would stay open
  ssize_t length = -1;
  do
    length = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (length < 0 && errno == EINTR);
  files = {};
  if (length >= 0)
    if (cmsghdr const* header = CMSG_FIRSTHDR(&message); header != nullptr && header->cmsg_type == SCM_RIGHTS)
      std::memcpy(&files, CMSG_DATA(header), std::min(sizeof files, header->cmsg_len - CMSG_LEN(0)));
  return length;
}

} // namespace

bool LocalTransport::present() {
  char const* const path = std::getenv("PEGASUS_SOCKET");
  sockaddr_un address{};
  TransportError ignored{};
  return (path != nullptr && *path != '\0') ||
         (find_socket(address, ignored) && access(address.sun_path, F_OK) == 0);
}

LocalTransport* LocalTransport::open(pegasus_connect_kind kind, TransportError& error) {
  sockaddr_un address{};
  if (!find_socket(address, error)) return nullptr;
  SpokenVersions spoken;
  for (AskingAgain asking;;) {
    // lives as long as the process: exit handlers may still call CUDA
    auto* transport = new LocalTransport(kind, spoken);
    if (connect_to(address, transport->socket_, error) &&
        trust_listener(transport->socket_, address.sun_path, error) && transport->shake_hands(error))
      return transport;
    int const pause_ms = transport->to_ask_again_ ? asking.answered(transport->connect_reply_.message) : 0;
    bool const in_version_1 = transport->of_version_1() && spoken.narrow_to_version_1();
    if (transport->socket_ >= 0) close(transport->socket_);
    delete transport;
    if (pause_ms == 0 && !in_version_1) return nullptr;
    AskingAgain::pause(pause_ms);
  }
}

bool LocalTransport::shake_hands(TransportError& error) {
  pegasus_connect_request connect_request{};
  connect_request.magic = PEGASUS_CONNECT_REQUEST_MAGIC;
  set_versions(connect_request, spoken_);
  connect_request.kind = static_cast<std::uint32_t>(kind_);
  connect_request.task = static_cast<std::uint32_t>(getpid());
  copy_name(connect_request.domain, std::getenv("PEGASUS_DOMAIN"));
  copy_name(connect_request.program, program_invocation_short_name);
  std::size_t const bytes = spoken_.newest == 1 ? PEGASUS_CONNECT_REQUEST_BYTES_1 : sizeof connect_request;
  if (send(socket_, &connect_request, bytes, MSG_NOSIGNAL) != static_cast<ssize_t>(bytes))
    return fail(error, no_device, "the accelerator daemon hung up: %s", std::strerror(errno));

  Files files;
  ssize_t const length = receive(socket_, connect_reply_, files);
  bool const taken = take_connect_reply(length, files, error);
  for (int const file : {files.memory, files.host_window})
    if (file >= 0) close(file);
  return taken;
}

bool LocalTransport::take_connect_reply(std::ptrdiff_t length, Files const& files, TransportError& error) {
  if (length <= 0)
    return fail(error, not_ready, "the accelerator daemon hung up before it answered; look at its log");
  // The end of a longer one is cut off; what a shorter one lacks is zero.
  if (length < std::ptrdiff_t{PEGASUS_CONNECT_REPLY_BYTES_1} ||
      connect_reply_.magic != PEGASUS_CONNECT_REPLY_MAGIC)
    return fail(error, version_mismatch,
                "the accelerator daemon's answer is not a connect reply: does another program listen at its "
                "socket?");
  connect_reply_.message[sizeof connect_reply_.message - 1] = '\0';
  if (!accept_version(connect_reply_, spoken_, error)) return false;
  to_ask_again_ = connect_reply_.error == PEGASUS_ASK_AGAIN;
  if (connect_reply_.error != 0 || files.memory < 0)
    return fail(error, no_device, "the accelerator daemon refused this program: %s", connect_reply_.message);

  struct stat status {};
  if (fstat(files.memory, &status) == 0 &&
      status.st_size >= static_cast<off_t>(connect_reply_.channel_bytes)) {
    int const access = kind_ == PEGASUS_CONNECT_TOTALS ? PROT_READ : PROT_READ | PROT_WRITE;
    void* const pages =
        mmap(nullptr, connect_reply_.channel_bytes, access, MAP_SHARED | MAP_POPULATE, files.memory, 0);
    if (pages != MAP_FAILED) memory_ = static_cast<std::byte*>(pages);
  }
  // A child of fork() must not write into its parent's call buffer.
  if (memory_ != nullptr) (void)madvise(memory_, connect_reply_.channel_bytes, MADV_DONTFORK);
  if (memory_ != nullptr && files.host_window >= 0) map_host_window(files.host_window);
  return memory_ != nullptr ||
         fail(error, no_device, "cannot map the daemon's pages: %s", std::strerror(errno));
}

// Kernels use the addresses that the program uses: where they are taken, or may not be had, nothing is shared.
void LocalTransport::map_host_window(int file) {
  std::uint64_t const bytes = connect_reply_.host_window_bytes;
  struct stat status {};
  if (fstat(file, &status) != 0 || status.st_size < 0 || static_cast<std::uint64_t>(status.st_size) < bytes)
    return;
  auto* const wanted = reinterpret_cast<void*>(std::uintptr_t{PEGASUS_HOST_WINDOW});
  void* const pages =
      mmap(wanted, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, file, 0);
  if (pages == wanted)
    host_window_bytes_ = bytes;
  else if (pages != MAP_FAILED)
    munmap(pages, bytes); // a kernel that takes the address for a hint
}

bool LocalTransport::of_version_1() const {
  return connect_reply_.error == EPROTONOSUPPORT && connect_reply_.version == 1;
}

void LocalTransport::wake(std::uint32_t* word) { base::futex_wake(*word); }

void LocalTransport::sleep(std::uint32_t* word, std::uint32_t value, std::uint64_t timeout_ns) {
  base::futex_wait(*word, value, std::chrono::nanoseconds(timeout_ns));
}

void LocalTransport::abandon() { close(socket_); }

bool LocalTransport::hung_up() {
  pollfd watched{socket_, POLLIN, 0};
  return poll(&watched, 1, 0) > 0; // pegasusd never sends a second packet: readable means hung up
}

bool LocalTransport::closed_by_program() { return fcntl(socket_, F_GETFD) < 0; }

} // namespace pegasus::frontend
