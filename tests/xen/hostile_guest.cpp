// SPDX-License-Identifier: Apache-2.0
// A guest program that breaks the protocol on purpose; for tests/xen/scenarios/hostile.sh.
//
//   hostile_guest ring|replay|unmap|events|store|directory SECONDS
#include "frontend/protocol/xen.h"
#include "frontend/transport/xen/event_channels.h"
#include "frontend/transport/xen/shared_pages.h"
#include "frontend/transport/xen/xen_transport.h"
#include "frontend/transport/xen/xenstore.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <string>
#include <sys/mman.h>

using namespace pegasus::frontend;

namespace {

std::mt19937 engine(7);
std::uint32_t any() { return static_cast<std::uint32_t>(engine()); }

XenTransport* connect() {
  TransportError error{};
  XenTransport* const transport = XenTransport::open(error);
  if (transport == nullptr) std::printf("refused: %s\n", error.message);
  return transport;
}

pegasus_channel_header& header_of(XenTransport const& transport) {
  return *reinterpret_cast<pegasus_channel_header*>(transport.memory());
}

// Anything anywhere in the rings, and a ring of the bell; then a new channel, for this one closes.
void ring(std::time_t end) {
  while (std::time(nullptr) < end) {
    XenTransport* const transport = connect();
    if (transport == nullptr) return;
    for (int i = 0; i < 2000; ++i) {
      transport->memory()[4096 + any() % 32768] = static_cast<std::byte>(any());
      if (i % 50 == 0) transport->wake(&header_of(*transport).worker_parked);
    }
  }
}

// The same sequence again and again, after a correct first call.
void replay(std::time_t end) {
  while (std::time(nullptr) < end) {
    XenTransport* const transport = connect();
    if (transport == nullptr) return;
    auto* const requests = reinterpret_cast<pegasus_request*>(transport->memory() + 4096);
    for (std::uint32_t i = 0; i < 200; ++i) {
      requests[1 + i % 2].call = 1;
      requests[1 + i % 2].sequence = 1 + i / 7;
      transport->wake(&header_of(*transport).worker_parked);
    }
  }
}

// Pages that go away under the worker.
void unmap(std::time_t end) {
  while (std::time(nullptr) < end) {
    XenTransport* const transport = connect();
    if (transport == nullptr) return;
    transport->wake(&header_of(*transport).worker_parked);
    munmap(transport->memory(), transport->welcome().channel_bytes);
  }
}

void events(std::time_t end) {
  XenTransport* const transport = connect();
  while (transport != nullptr && std::time(nullptr) < end)
    for (int i = 0; i < 10000; ++i)
      transport->wake(&header_of(*transport).worker_parked);
}

// Keys, states and values that no frontend writes.
void store(std::time_t end) {
  Xenstore xenstore;
  if (!xenstore.open()) return;
  std::string const tasks = "device/vaccel/0/tasks/";
  while (std::time(nullptr) < end) {
    std::string const key = tasks + std::to_string(any() % 50);
    char const* const values[] = {"3", "99999999999999999999", "-1", "", "../../../0", "3\n"};
    for (char const* node : {"/directory", "/doorbell", "/control", "/state"})
      (void)xenstore.write(key + node, values[any() % 6]);
    (void)xenstore.write(key + "/state", "3");
    if (any() % 4 == 0) xenstore.remove(key);
  }
}

// Directory pages full of anything, which name themselves as the next.
void directory(std::time_t end) {
  Xenstore xenstore;
  SharedPages pages;
  EventChannels channels;
  std::uint32_t port = 0;
  if (!xenstore.open() || !pages.share(1, 0) || !channels.open() || !channels.offer(0, port)) return;
  auto& page = *reinterpret_cast<pegasus_xen_directory*>(pages.data());
  for (int task = 0; std::time(nullptr) < end; ++task) {
    for (auto& reference : page.refs)
      reference = any() % 4096;
    page.hello = {};
    page.hello.magic = PEGASUS_HELLO_MAGIC;
    page.hello.version = PEGASUS_PROTOCOL_VERSION;
    page.hello.arena_bytes = any() % 3 == 0 ? PEGASUS_ARENA_MAX : PEGASUS_ARENA_MIN;
    page.hello.slots = any() % 2 == 0 ? PEGASUS_SLOTS_MAX : 0;
    page.pages = any() % 2 == 0 ? any() : PEGASUS_XEN_CHANNEL_PAGES(PEGASUS_SLOTS_DEFAULT, PEGASUS_ARENA_MIN);
    page.next = pages.references().front();
    std::string const front = "device/vaccel/0/tasks/bad" + std::to_string(task % 20);
    for (auto const& [node, value] : {std::pair("/directory", pages.references().front()),
                                      {"/doorbell", port},
                                      {"/control", port},
                                      {"/state", std::uint32_t{PEGASUS_XEN_INITIALISED}}})
      (void)xenstore.write(front + node, std::to_string(value));
  }
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::time_t const end = std::time(nullptr) + std::atoi(argv[2]);
  std::string const mode = argv[1];
  struct {
    char const* name;
    void (*run)(std::time_t);
  } const modes[] = {{"ring", ring},     {"replay", replay}, {"unmap", unmap},
                     {"events", events}, {"store", store},   {"directory", directory}};
  for (auto const& known : modes)
    if (mode == known.name) {
      known.run(end);
      std::puts("PASS");
      return 0;
    }
  return 2;
}
