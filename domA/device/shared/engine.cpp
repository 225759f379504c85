// SPDX-License-Identifier: Apache-2.0
// Why honest workers exclude each other, and no wake-up is lost. All operations on the pages are sequentially
// consistent. "Before" is by ticket, then by slot; `taking_ticket` is before every time.
//
// 1. Of two admitted workers in the line one is before the other, and that one does not wait for the other. a took the
//    engine after it had read b's place. If b was not in the line then, b wrote taking_ticket later and read the clock
//    later still: b's time is not before a's, and b waits for a. (CLOCK_MONOTONIC is one clock for all CPUs; that
//    a line of memory travels between two of them takes more than its nanosecond.) If b was in the line with a
//    ticket, both compare the same two tickets. If b was taking its ticket, a waited.
// 2. A sleeper is woken: it stores sleeps = 1, reads `left` and then the ticket before it, and sleeps while `left` is
//    unchanged. Who leaves clears its ticket, changes `left`, then looks for sleepers. Each sleeps on the last one
//    before it, so that who leaves wakes one. Behind one that is taking its ticket nobody sleeps for long. The ticket is
//    read once: of two reads the first could find that one out of the line, and the second that it takes its next
//    ticket. It would then come behind the sleeper, who slept until it leaves.
// 3. A dead worker's place is cleared by pegasusd (EngineAdmission::leave), which wakes like a worker that leaves.
// 4. A worker that is not admitted is seen by none. It is off the device, asleep or about to look at its gate, and
//    takes another ticket before it enters (EngineGate::may_enter): an old ticket could be before that of a worker
//    that did not see it. Only one whose gate pegasusd has just closed and that had not waited may still execute; the
//    gate is drained, and others admitted, when it has stopped.
// 5. pegasusd takes a place out of the line without a wake-up. Whoever slept behind it looks again after `recheck`.
#include "domA/device/shared/engine.h"

#include "base/futex.h"
#include "base/spin.h"
#include "domA/device/shared/clock.h"
#include "domA/device/shared/engine_order.h"

#include <cassert>
#include <utility>

namespace pegasus::shared {
namespace {

// Who takes a ticket need not leave the line before who waits for that, and does not wake it.
constexpr Nanos ticket_recheck = std::chrono::microseconds{50};

} // namespace

EngineClient::EngineClient(EngineAccess const* access, SlotPages const* pages, SlotPage* own,
                           std::uint32_t slot, EngineTuning tuning, EngineGate* gate)
    : access_(access), pages_(pages), place_(&own->place), slot_(slot), tuning_(tuning), gate_(gate) {
  assert(access != nullptr && pages != nullptr && slot < slot_count);
}

void EngineClient::acquire() {
  while (!passes_line())
    gate_->wait_until_open();
  change_owner();
  since_ = device_now();
}

// Returns false if the gate was closed meanwhile.
bool EngineClient::passes_line() {
  take_ticket();
  bool waited = false;
  for (auto other = last_before(); other; other = last_before()) {
    if (!std::exchange(waited, true) && gate_ != nullptr) gate_->off_device();
    wait_behind(*other);
    if (gate_ != nullptr && !gate_->may_wait()) {
      leave_line();
      return false;
    }
  }
  if (!waited || gate_ == nullptr || gate_->may_enter()) return true;
  leave_line();
  return false;
}

Nanos EngineClient::release() {
  Nanos const now = device_now();
  place_->released_ns.store(static_cast<std::uint64_t>(now.count()));
  leave_line();
  return now - since_;
}

void EngineClient::take_ticket() {
  place_->ticket.store(taking_ticket);
  ticket_ = static_cast<std::uint64_t>(device_now().count());
  place_->ticket.store(ticket_);
}

void EngineClient::leave_line() {
  place_->ticket.store(0);
  place_->left.fetch_add(1);
  if (find_slot(access_->known, [this](std::uint32_t slot) {
        return slot != slot_ && (*pages_)[slot].place.sleeps.load() != 0;
      }))
    base::futex_wake(place_->left);
}

bool EngineClient::is_before(InLine other) const {
  return other.slot != slot_ && access_->admitted.has(other.slot) && comes_before(other, {ticket_, slot_});
}

std::optional<std::uint32_t> EngineClient::last_before() const {
  InLine last{};
  for_each_slot(access_->admitted, [&](std::uint32_t slot) {
    InLine const other{(*pages_)[slot].place.ticket.load(), slot};
    if (slot != slot_ && comes_before(other, {ticket_, slot_}) &&
        (last.ticket == 0 || comes_before(last, other)))
      last = other;
  });
  return last.ticket == 0 ? std::nullopt : std::optional(last.slot);
}

void EngineClient::wait_behind(std::uint32_t other) {
  EnginePlace const& ahead = (*pages_)[other].place;
  for (std::uint32_t spins = 0; spins < tuning_.spins; ++spins) {
    if (!is_before({ahead.ticket.load(), other})) return;
    base::relax();
  }
  place_->sleeps.store(1);
  std::uint32_t const left = ahead.left.load();
  std::uint64_t const ticket = ahead.ticket.load();
  if (is_before({ticket, other}))
    (void)base::futex_wait(ahead.left, left, ticket == taking_ticket ? ticket_recheck : tuning_.recheck);
  place_->sleeps.store(0);
}

// It is the first here, or another worker has held the engine since this one did.
bool EngineClient::changes_owner() const {
  std::uint64_t const mine = place_->released_ns.load();
  return mine == 0 || find_slot(access_->known, [&](std::uint32_t slot) {
           return slot != slot_ && (*pages_)[slot].place.released_ns.load() > mine;
         });
}

void EngineClient::change_owner() {
  if (!changes_owner()) return;
  Nanos const start = device_now();
  Nanos passed{0};
  while (passed < tuning_.switch_cost) {
    base::relax();
    passed = device_now() - start;
  }
  // In this order: whoever reads the count first sees no change without its time.
  place_->switching_ns.fetch_add(static_cast<std::uint64_t>(passed.count()));
  place_->switches.fetch_add(1);
}

} // namespace pegasus::shared
