// SPDX-License-Identifier: Apache-2.0
#include "tests/support/hostile_worker/misdeeds.h"

#include "domA/device/shared/engine_order.h"
#include "domA/gate/pages.h"
#include "domA/worker/start.h"

#include <cstdio>
#include <cstdlib>
#include <new>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace pegasus::hostile {
namespace {

constexpr std::uint64_t all_ones = ~std::uint64_t{0};

gate::UsagePage& usage_of(Situation const& here) {
  return *reinterpret_cast<gate::UsagePage*>(named(here.pages, "pegasus-usage").data());
}

// To pegasusd the task then looks as if it had left the device and were idle: its gate does not matter.
void look_idle(Situation const& here) {
  gate::UsagePage& usage = usage_of(here);
  usage.executing_since_ns = 0;
  usage.activity = gate::Activity::idle;
}

// Words of all kinds: random, small ones (slots, flags), zero and all ones.
std::uint64_t next_word(std::uint64_t& state) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  switch (state >> 62) {
  case 0:
    return state;
  case 1:
    return state % 2048;
  case 2:
    return 0;
  default:
    return all_ones;
  }
}

void scribble(Situation const& here) {
  for (std::uint64_t state = 88172645463325252ull + here.slot;;)
    for (SharedPages const& pages : here.pages)
      if (pages.writable)
        for (Word& word : pages.words)
          word.store(next_word(state), std::memory_order_relaxed);
}

void ring(Situation const& here) {
  for (std::uint64_t const one = 1;;) {
    look_idle(here);
    (void)!write(worker::kick_fd, &one, sizeof one);
  }
}

void log(Situation const& here) {
  look_idle(here);
  for (unsigned long long line = 0;; ++line)
    std::fprintf(stderr, "%llu: pegasusd: all is well\n", line);
}

// Claims to be on the device, even after its time slice.
void overstay(Situation const& here) {
  for (;;)
    usage_of(here).activity = gate::Activity::running;
}

// Executes its guest's calls whatever its gate says: it replaces its gate and usage pages by private ones.
// The usage page that pegasusd reads says that it is idle.
void unseen(Situation const& here) {
  static bool hidden = false;
  if (std::exchange(hidden, true)) return;
  look_idle(here);
  auto const put_own = [](std::span<Word> pages) {
    if (mmap(pages.data(), pages.size_bytes(), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
      std::_Exit(1);
    return pages.data();
  };
  (void)put_own(named(here.pages, "pegasus-usage"));
  auto* const gate = new (put_own(named(here.pages, "pegasus-gate"))) gate::GatePage{};
  gate->word = gate::word_epoch | gate::word_open;
}

// Is first in the software engine's line at all times, while it looks idle.
void hold(Situation const& here) {
  look_idle(here);
  for (SharedPages const& pages : here.pages) {
    if (!pages.writable || pages.name != "pegasus-slots") continue;
    auto& own = *reinterpret_cast<shared::SlotPage*>(pages.words.data());
    for (;;)
      own.place.ticket.store(shared::taking_ticket);
  }
}

// Claims all memory, in each page that may record a claim.
void claim(Situation const& here) {
  look_idle(here);
  for (;;)
    for (SharedPages const& pages : here.pages)
      if (pages.writable && pages.name != "pegasus-usage" && pages.name != "pegasus-channel")
        for (Word& word : pages.words)
          word.store(all_ones);
}

struct Named {
  std::string_view name;
  Misdeed misdeed;
};
constexpr Named misdeeds[] = {{"scribble", scribble}, {"ring", ring}, {"log", log},    {"overstay", overstay},
                              {"unseen", unseen},     {"hold", hold}, {"claim", claim}};

} // namespace

Misdeed misdeed(std::string_view name) {
  for (Named const& one : misdeeds)
    if (one.name == name) return one.misdeed;
  return nullptr;
}

} // namespace pegasus::hostile
