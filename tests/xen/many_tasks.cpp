// SPDX-License-Identifier: Apache-2.0
// A hostile guest's program, for tests/xen/scenarios/hostile.sh. It makes Dom0 map as many of its pages as it
// can, in as many tasks as it can.
//
//   many_tasks SECONDS    or until SIGUSR1
//
// Offers large call buffers, then smaller ones. When the smallest is refused, gives back the last one, now
// and then all of them, and begins again. Exits with 0 if each offer was accepted, or refused with a reason.
#include "frontend/protocol/channel.h"
#include "frontend/protocol/handshake.h"
#include "frontend/protocol/xen.h"
#include "frontend/transport/xen/event_channels.h"
#include "frontend/transport/xen/shared_pages.h"
#include "frontend/transport/xen/xenstore.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

using namespace pegasus::frontend;

namespace {

constexpr std::uint32_t max_arena = 16u << 20; // a small guest has memory for two
constexpr std::uint32_t slot_count = PEGASUS_SLOTS_DEFAULT;
constexpr int answer_limit_s = 60;
constexpr int leave_limit_s = 1;
constexpr unsigned rounds_to_all = 8;

volatile std::sig_atomic_t told_to_end = 0;

enum class Reply { none, accepted, refused };

class OfferedTask {
public:
  OfferedTask(Xenstore& store, std::uint32_t arena_bytes, unsigned number)
      : store_(store), front_("device/vaccel/0/tasks/many" + std::to_string(number)) {
    std::string back;
    if (share(arena_bytes) && announce() && store_.read("device/vaccel/0/backend", back))
      reply_ = await(back + "/tasks/many" + std::to_string(number));
  }
  ~OfferedTask() {
    leave();
    store_.remove(front_);
  }
  OfferedTask(OfferedTask const&) = delete;
  OfferedTask& operator=(OfferedTask const&) = delete;

  [[nodiscard]] Reply reply() const { return reply_; }
  [[nodiscard]] std::string const& why() const { return why_; } // the reason of a refusal
  [[nodiscard]] std::size_t pages() const { return pages_.references().size(); }

private:
  bool share(std::uint32_t arena_bytes) {
    std::size_t const wanted = PEGASUS_XEN_CHANNEL_PAGES(slot_count, arena_bytes);
    std::size_t const directories = (wanted + PEGASUS_XEN_DIRECTORY_REFS - 1) / PEGASUS_XEN_DIRECTORY_REFS;
    if (!pages_.share(wanted, 0) || !directory_.share(directories, 0) || !events_.open() ||
        !events_.offer(0, doorbell_) || !events_.offer(0, control_))
      return false;
    auto& header = *reinterpret_cast<pegasus_channel_header*>(pages_.data());
    header.guest_alive = header.host_alive = 1;
    auto* const pages = reinterpret_cast<pegasus_xen_directory*>(directory_.data());
    pages[0].connect_request = {};
    pages[0].connect_request.magic = PEGASUS_CONNECT_REQUEST_MAGIC;
    pages[0].connect_request.version = PEGASUS_PROTOCOL_VERSION;
    pages[0].connect_request.slots = slot_count;
    pages[0].connect_request.arena_bytes = arena_bytes;
    std::snprintf(pages[0].connect_request.program, sizeof pages[0].connect_request.program, "many_tasks");
    pages[0].pages = static_cast<std::uint32_t>(wanted);
    for (std::size_t i = 0; i < wanted; ++i)
      pages[i / PEGASUS_XEN_DIRECTORY_REFS].refs[i % PEGASUS_XEN_DIRECTORY_REFS] = pages_.references()[i];
    for (std::size_t i = 0; i < directories; ++i)
      pages[i].next = i + 1 < directories ? directory_.references()[i + 1] : 0;
    return pages_.tell_when_gone(offsetof(pegasus_channel_header, guest_alive), control_);
  }

  bool announce() {
    auto write = [&](char const* node, std::uint32_t value) {
      return store_.write(front_ + "/" + node, std::to_string(value));
    };
    return write("directory", directory_.references().front()) && write("doorbell", doorbell_) &&
           write("control", control_) && write("state", PEGASUS_XEN_INITIALISED);
  }

  // Leaves as libcuda does. Otherwise this guest would run out of memory before Dom0's table is full.
  void leave() {
    if (reply_ != Reply::accepted) return;
    auto& header = *reinterpret_cast<pegasus_channel_header*>(pages_.data());
    std::atomic_ref(header.guest_alive).store(0);
    events_.ring(control_);
    for (std::time_t const end = std::time(nullptr) + leave_limit_s;
         std::atomic_ref(header.host_alive).load() != 0 && std::time(nullptr) < end;)
      (void)events_.wait(10'000'000);
  }

  Reply await(std::string const& back) {
    for (std::time_t const end = std::time(nullptr) + answer_limit_s; std::time(nullptr) < end;
         usleep(5000)) {
      std::string state;
      if (!store_.read(back + "/state", state)) continue;
      if (state == std::to_string(PEGASUS_XEN_CONNECTED)) return Reply::accepted;
      if (state == std::to_string(PEGASUS_XEN_CLOSED))
        return store_.read(back + "/error", why_) && !why_.empty() ? Reply::refused : Reply::none;
    }
    return Reply::none;
  }

  Xenstore& store_;
  std::string front_;
  SharedPages pages_;
  SharedPages directory_;
  EventChannels events_;
  std::uint32_t doorbell_ = 0;
  std::uint32_t control_ = 0;
  Reply reply_ = Reply::none;
  std::string why_;
};

} // namespace

int main(int argc, char** argv) {
  Xenstore store;
  if (argc != 2 || !store.open()) return 2;
  std::vector<std::unique_ptr<OfferedTask>> open;
  std::size_t pages = 0;
  std::size_t max_pages = 0;
  std::size_t max_tasks = 0;
  unsigned offered = 0;
  unsigned refused = 0;
  unsigned rounds = 0;
  std::uint32_t arena = max_arena;
  std::time_t const end = std::time(nullptr) + std::atoi(argv[1]);
  std::signal(SIGUSR1, [](int) { told_to_end = 1; });
  while (told_to_end == 0 && std::time(nullptr) < end) {
    auto task = std::make_unique<OfferedTask>(store, arena, ++offered);
    if (task->reply() == Reply::none) {
      std::printf("offer %u, of %u bytes: no reply\nFAIL\n", offered, arena);
      return 1;
    }
    if (task->reply() == Reply::accepted) {
      pages += task->pages();
      open.push_back(std::move(task));
    } else if (++refused <= 20) {
      std::printf("refused: %s\n", task->why().c_str());
    }
    max_pages = std::max(max_pages, pages);
    max_tasks = std::max(max_tasks, open.size());
    if (task == nullptr) continue; // accepted: offer another one like it
    if (arena > PEGASUS_ARENA_MIN) {
      arena /= 2;
      continue;
    }
    bool const all = ++rounds % rounds_to_all == 0;
    while (!open.empty()) {
      pages -= open.back()->pages();
      open.pop_back();
      if (!all) break;
    }
    arena = max_arena;
  }
  std::printf("maptrack: %u offers, %u refused; at most %zu tasks with %zu pages\nPASS\n", offered, refused,
              max_tasks, max_pages);
  return 0;
}
