// SPDX-License-Identifier: Apache-2.0
#include "domA/worker/engine_wait.h"

#include "base/futex.h"
#include "domA/device/shared/clock.h"

#include <unistd.h>

namespace pegasus::worker {

using gate::Activity;

void EngineWait::off_device() {
  word_ = gate_.word.load();
  usage_.activity.store(Activity::waiting);
  // pegasusd may have closed the gate before, and wait for this worker.
  if (!is_open(gate_.word.load())) kick_daemon();
}

bool EngineWait::may_wait() {
  if (stays_open(gate_.word.load())) return true;
  usage_.activity.store(Activity::running);
  return false;
}

bool EngineWait::may_enter() {
  usage_.activity.store(Activity::running);
  return stays_open(gate_.word.load());
}

bool EngineWait::stays_open(std::uint32_t word) const { return word == word_ && is_open(word); }

void EngineWait::wait_until_open() {
  for (std::uint32_t word = gate_.word.load(); !is_open(word); word = gate_.word.load()) {
    (void)gate::obey_order(gate_, usage_, obey_);
    usage_.obeyed.store(word);
    usage_.activity.store(Activity::waiting);
    kick_daemon();
    while (gate_.word.load() == word)
      base::futex_wait(gate_.word, word);
    usage_.activity.store(Activity::running);
  }
}

bool EngineWait::is_open(std::uint32_t word) const {
  std::uint64_t const until = gate_.lease_until_ns.load();
  return (word & gate::word_open) != 0 &&
         (until == 0 || static_cast<std::uint64_t>(shared::device_now().count()) < until);
}

void EngineWait::kick_daemon() const {
  std::uint64_t const one = 1;
  (void)!write(kick_fd_, &one, sizeof one); // if the counter is full, a kick waits already
}

} // namespace pegasus::worker
