// SPDX-License-Identifier: Apache-2.0
// A guest program that violates the protocol on purpose, for tests/xen/scenarios/hostile.sh.
//
//   hostile_guest ring|replay|unmap|doorbell|control|store|directory SECONDS
//
// Prints how often it attacked, and how often the other side did what PROTOCOL.md promises. Exits with 0 only
// if that was each time.
#include "frontend/protocol/calls.h"
#include "frontend/protocol/xen.h"
#include "frontend/transport/xen/event_channels.h"
#include "frontend/transport/xen/shared_pages.h"
#include "frontend/transport/xen/xen_transport.h"
#include "frontend/transport/xen/xenstore.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <string>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using domid_t = std::uint16_t; // the next header requires it
#include <xen/evtchn.h>

using namespace pegasus::frontend;

namespace {

std::string const tasks = "device/vaccel/0/tasks/";

std::mt19937 engine(7);
std::uint32_t any() { return static_cast<std::uint32_t>(engine()); }

// Tries until `so` returns true, for as long as an answer may take on a busy host.
template <class Try> bool until(Try so) {
  for (std::time_t const end = std::time(nullptr) + 20; std::time(nullptr) < end; usleep(1000))
    if (so()) return true;
  return false;
}

template <class T> T load(T& word) { return std::atomic_ref(word).load(std::memory_order_acquire); }

// A task of this program and its call buffer.
struct Channel {
  XenTransport& transport;
  pegasus_channel_header& header;
  pegasus_request* requests;
  pegasus_reply* replies;

  explicit Channel(XenTransport& opened)
      : transport(opened), header(*reinterpret_cast<pegasus_channel_header*>(opened.memory())),
        requests(reinterpret_cast<pegasus_request*>(opened.memory() + header.request_offset)),
        replies(reinterpret_cast<pegasus_reply*>(opened.memory() + header.reply_offset)) {}

  void ring() { transport.wake(&header.worker_parked); }
  void write(std::uint32_t slot, std::uint32_t sequence) {
    requests[slot].call = PEGASUS_CALL_PING;
    std::atomic_ref(requests[slot].sequence).store(sequence, std::memory_order_release);
  }
  // Returns true if the worker takes a call and answers it.
  bool serves(std::uint32_t sequence) {
    write(sequence, sequence);
    ring();
    return until([&] { return load(replies[sequence].sequence) == sequence; });
  }
  bool closed(std::uint32_t reason) {
    return load(header.worker_state) == PEGASUS_WORKER_CLOSED && header.close_reason == reason;
  }
};

// Writes anything anywhere into the requests.
bool ring(Channel channel) {
  return channel.serves(1) && until([&] {
           for (int i = 0; i < 100; ++i)
             channel.transport.memory()[channel.header.request_offset + any() % 32768] =
                 static_cast<std::byte>(any());
           channel.ring();
           return channel.closed(PEGASUS_CLOSE_PROTOCOL);
         });
}

// Writes a sequence that was answered before into the next slot.
bool replay(Channel channel) {
  if (!channel.serves(1)) return false;
  channel.write(2, 1);
  channel.ring();
  return until([&] { return channel.closed(PEGASUS_CLOSE_PROTOCOL); });
}

// Takes the pages and ports away while the worker uses them. The process continues to run.
bool unmap(Channel channel) {
  if (!channel.serves(1)) return false;
  munmap(channel.transport.memory(), channel.transport.connect_reply().channel_bytes);
  close_range(3, ~0U, 0);
  Xenstore store;
  std::vector<std::string> left;
  return store.open() && until([&] { return !store.list("device/vaccel/0/tasks", left) || left.empty(); });
}

// Rings the worker many times without a request. It must still serve requests.
bool doorbell(Channel channel) {
  for (int i = 0; i < 20000; ++i)
    channel.ring();
  return channel.serves(1);
}

// Rings pegasusd without a reason.
bool control(Channel channel) {
  Xenstore store;
  std::vector<std::string> keys;
  std::string port;
  if (!channel.serves(1) || !store.open() || !store.list("device/vaccel/0/tasks", keys) ||
      !store.read(tasks + keys.front() + "/control", port))
    return false;
  ioctl_evtchn_notify request{static_cast<unsigned>(std::atoi(port.c_str()))};
  return until([&] {
    for (int file = 3; file < 64; ++file) // one of them is the transport's
      (void)ioctl(file, IOCTL_EVTCHN_NOTIFY, &request);
    return channel.closed(PEGASUS_CLOSE_GUEST_LEFT);
  });
}

// Runs the attack in a child process. Its pages are returned when it ends.
bool in_a_child(bool (*attack)(Channel)) {
  engine.discard(1000); // other numbers than in the last child
  pid_t const child = fork();
  if (child == 0) {
    TransportError error{};
    XenTransport* const transport = XenTransport::open(PEGASUS_CONNECT_TASK, error);
    if (transport == nullptr) std::printf("refused: %s\n", error.message);
    bool const answered = transport != nullptr && attack(Channel(*transport));
    std::fflush(stdout);
    _exit(answered ? 0 : 1);
  }
  int status = -1;
  return waitpid(child, &status, 0) == child && status == 0;
}

// Returns true if the backend's nodes say that the task is refused, and why.
bool refused(Xenstore& store, std::string const& key) {
  std::string back;
  std::string state;
  std::string why;
  if (!store.read("device/vaccel/0/backend", back)) return false;
  back += "/tasks/" + key;
  return until([&] {
    return store.read(back + "/state", state) && state == std::to_string(PEGASUS_XEN_CLOSED) &&
           store.read(back + "/error", why) && !why.empty();
  });
}

// Writes keys, states and values that no frontend writes, and more keys than pegasusd keeps answers for.
bool store() {
  constexpr int keys = 60;
  Xenstore store;
  if (!store.open()) return false;
  std::string key;
  for (int i = 0; i < keys; ++i) {
    key = std::to_string(any());
    char const* const values[] = {"3", "99999999999999999999", "-1", "", "../../../0", "3\n"};
    for (char const* node : {"/directory", "/doorbell", "/control", "/state"})
      (void)store.write(tasks + key + node, values[any() % 6]);
    (void)store.write(tasks + key + "/state", "3");
    if (i + 1 < keys && any() % 4 == 0) store.remove(tasks + key);
  }
  return refused(store, key);
}

// Offers directory pages with arbitrary contents. Each names itself as the next page.
bool directory() {
  Xenstore store;
  SharedPages pages;
  EventChannels channels;
  std::uint32_t port = 0;
  if (!store.open() || !pages.share(1, 0) || !channels.open() || !channels.offer(0, port)) return false;
  auto& page = *reinterpret_cast<pegasus_xen_directory*>(pages.data());
  std::string key;
  for (int task = 0; task < 20; ++task) {
    for (auto& reference : page.refs)
      reference = any() % 4096;
    page.connect_request = {};
    page.connect_request.magic = PEGASUS_CONNECT_REQUEST_MAGIC;
    page.connect_request.version = PEGASUS_PROTOCOL_VERSION;
    page.connect_request.arena_bytes = any() % 3 == 0 ? PEGASUS_ARENA_MAX : PEGASUS_ARENA_MIN;
    page.connect_request.slots = any() % 2 == 0 ? PEGASUS_SLOTS_MAX : 0;
    page.pages = any() % 2 == 0 ? any() : PEGASUS_XEN_CHANNEL_PAGES(PEGASUS_SLOTS_DEFAULT, PEGASUS_ARENA_MIN);
    page.next = pages.references().front();
    key = "bad" + std::to_string(any());
    for (auto const& [node, value] : {std::pair("/directory", pages.references().front()),
                                      {"/doorbell", port},
                                      {"/control", port},
                                      {"/state", std::uint32_t{PEGASUS_XEN_INITIALISED}}})
      (void)store.write(tasks + key + node, std::to_string(value));
  }
  return refused(store, key);
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::time_t const end = std::time(nullptr) + std::atoi(argv[2]);
  std::string const mode = argv[1];
  struct {
    char const* name;
    bool (*with_channel)(Channel);
    bool (*without)();
  } const modes[] = {{"ring", ring, nullptr},          {"replay", replay, nullptr},
                     {"unmap", unmap, nullptr},        {"doorbell", doorbell, nullptr},
                     {"control", control, nullptr},    {"store", nullptr, store},
                     {"directory", nullptr, directory}};
  for (auto const& known : modes) {
    if (mode != known.name) continue;
    int attacks = 0;
    int answered = 0;
    do {
      ++attacks;
      answered += (known.with_channel != nullptr ? in_a_child(known.with_channel) : known.without()) ? 1 : 0;
    } while (attacks == answered && std::time(nullptr) < end);
    std::printf("%s: %d attacks, %d answered as promised\n", known.name, attacks, answered);
    std::puts(attacks == answered ? "PASS" : "FAIL");
    return attacks == answered ? 0 : 1;
  }
  return 2;
}
