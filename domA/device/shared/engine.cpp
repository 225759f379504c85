// SPDX-License-Identifier: Apache-2.0
// Why no wake-up is lost, no slot holds the engine without knowing it, and a death at any instruction is
// repaired. All operations on the page are sequentially consistent. "n waits" means: n's waiting bit is set.
//
// 1. Only n sets n's bit, before it first reads `owner`; n clears it after it saw itself as the owner. A set
//    bit therefore means that n is in acquire(), or dead, or owns the engine.
// 2. Ownership goes to n either by n's own swap of a free word, or by another slot's swap to n. That slot
//    read `owner`, then saw n's bit, then swapped. The swap succeeds only in the generation it read, so n did
//    not own the engine in between. By (1) n still waits and will read `owner`; or n died, which is (5).
// 3. A waiter is never forgotten. A releaser that sees no bit frees the engine and then scans again
//    (serve_waiters). A bit that it misses then was set after that scan began, hence after the word was free.
//    The waiter, which reads `owner` after setting its bit, finds it free (and swaps it) or owned by a later
//    slot, whose release scans again.
// 4. A sleeper is always woken. It stores parked = 1, then reads `owner`, then sleeps while parked is 1. The
//    waker swaps `owner`, then sets parked to 0 and wakes if it was 1. One of them sees the other's store.
// 5. A worker m is killed. evict(m) runs when m is gone and before its slot is used again.
//    - m waited: its bit is cleared. A releaser that saw the bit before may still try to swap the engine to
//      m. evict advances the generation after clearing the bit: that swap fails, or has happened already and
//      evict sees m as owner.
//    - m owned the engine, or it was passed to m: evict passes it on.
//    - m died in release(), after freeing the word and before the second scan: evict does that scan.
//    - m died after swapping to n and before waking n, or after setting n's `parked` to 0 and before the
//      system call (then even later wakers believe that n is awake): evict wakes every waiter and the owner,
//      parked or not. They check and, if they are not next, park again. Needless wake-ups are harmless by
//      (4).
// 6. A living worker whose ownership was taken away (a wrong evict, a hostile write) finds another owner in
//    release() and leaves the word unchanged.
// 7. A slot that is alone takes the word once from the slot that the word names, and continues even if that
//    fails: the named worker is dead or must not be on the engine. A slot that already waited and becomes
//    alone sees this at its next check. When the daemon admits other workers again, two may be on the engine
//    for one hold; the second's release is (6).
// 8. A worker changes the word so often that no swap succeeds. release() and evict() give up after a bounded
//    number of attempts. The engine stays with the slot that the page names until the daemon's watch takes it
//    away, or a waiter finds it free.
#include "domA/device/shared/engine.h"

#include "base/futex.h"
#include "base/spin.h"
#include "domA/device/shared/clock.h"

#include <bit>
#include <cassert>

namespace pegasus::shared {
namespace {

constexpr std::uint64_t slot_mask = 0xffff;
// Honest workers change the owner's word a few times a kernel at most. This many lost races in a row are an
// attack, which must not delay a worker or the daemon.
constexpr int max_races = 1000;

std::uint32_t slot_in(std::uint64_t word) {
  std::uint64_t const value = word & slot_mask;
  return value == 0 || value > slot_count ? no_slot : static_cast<std::uint32_t>(value - 1);
}

// The word that follows `word` with another owner, in the next generation.
std::uint64_t successor(std::uint64_t word, std::uint32_t slot) {
  return ((word & ~slot_mask) + (slot_mask + 1)) | (slot == no_slot ? 0 : std::uint64_t{slot} + 1);
}

std::atomic<std::uint64_t>& word_of(EnginePage& page, std::uint32_t slot) { return page.waiting[slot / 64]; }
std::uint64_t bit_of(std::uint32_t slot) { return std::uint64_t{1} << (slot % 64); }

// The first waiting slot after `slot`, wrapping around to `slot` itself.
std::uint32_t next_waiting(EnginePage& page, std::uint32_t slot) {
  constexpr auto words = static_cast<std::uint32_t>(slot_count / 64);
  std::uint32_t const start = (slot + 1) % slot_count;
  std::uint64_t const from_start = ~std::uint64_t{0} << (start % 64);
  // The first word is visited twice: first its upper part, at the end its lower part.
  for (std::uint32_t i = 0; i <= words; ++i) {
    std::uint32_t const index = (start / 64 + i) % words;
    std::uint64_t bits = page.waiting[index].load();
    if (i == 0) bits &= from_start;
    if (i == words) bits &= ~from_start;
    if (bits != 0) return index * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
  }
  return no_slot;
}

void wake(EnginePage& page, std::uint32_t slot) {
  auto& parked = page.slot[slot].parked;
  if (parked.exchange(0) != 0) base::futex_wake(parked, 1);
}

// Passes a free engine to a waiter, if there are both. Point 3 above. Returns false in the case of point 8.
bool serve_waiters(EnginePage& page, std::uint32_t after) {
  for (int attempt = 0; attempt < max_races; ++attempt) {
    std::uint64_t word = page.owner.load();
    if (slot_in(word) != no_slot) return true;
    std::uint32_t const next = next_waiting(page, after);
    if (next == no_slot) return true;
    if (!page.owner.compare_exchange_strong(word, successor(word, next))) continue;
    wake(page, next);
    return true;
  }
  return false;
}

// Ends the hold that the page shows for a slot and adds it to the total. Ignores impossible times, which only
// a hostile worker writes.
void end_hold(EnginePage& page, std::uint32_t slot) {
  std::uint64_t const since = page.slot[slot].since_ns.exchange(0);
  auto const now = static_cast<std::uint64_t>(device_now().count());
  if (since != 0 && since < now) page.busy_ns.fetch_add(now - since);
}

Nanos to_nanos(std::uint64_t ns) {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return Nanos{static_cast<std::int64_t>(ns < most ? ns : most)};
}

} // namespace

EngineClient::EngineClient(EnginePage* page, std::uint32_t slot, EngineTuning tuning,
                           std::atomic<std::uint32_t> const* alone)
    : page_(page), slot_(slot), tuning_(tuning), alone_(alone) {
  assert(page != nullptr && slot < slot_count);
}

void EngineClient::acquire() {
  word_of(*page_, slot_).fetch_or(bit_of(slot_));
  for (std::uint32_t spins = 0;;) {
    std::uint64_t word = page_->owner.load();
    std::uint32_t const now_owner = slot_in(word);
    if (now_owner == slot_) break;
    if (now_owner == no_slot || alone()) {
      // A page that changes constantly cannot delay a slot that is alone.
      if (page_->owner.compare_exchange_strong(word, successor(word, slot_)) || alone()) break;
    } else if (spins < tuning_.spins) {
      ++spins;
      base::relax();
    } else {
      park();
    }
  }
  word_of(*page_, slot_).fetch_and(~bit_of(slot_));
  change_owner();
  since_ = device_now();
  page_->slot[slot_].since_ns.store(static_cast<std::uint64_t>(since_.count()));
}

void EngineClient::change_owner() {
  if (page_->last.exchange(std::uint64_t{slot_} + 1) == std::uint64_t{slot_} + 1) return;
  Nanos const start = device_now();
  Nanos passed{0};
  while (passed < tuning_.switch_cost) {
    base::relax();
    passed = device_now() - start;
  }
  page_->switches.fetch_add(1);
  page_->switching_ns.fetch_add(static_cast<std::uint64_t>(passed.count()));
}

void EngineClient::park() {
  auto& parked = page_->slot[slot_].parked;
  parked.store(1);
  std::uint32_t const now_owner = slot_in(page_->owner.load());
  if (now_owner != slot_ && now_owner != no_slot &&
      base::futex_wait(parked, 1, tuning_.recheck) == base::FutexWait::timed_out)
    word_of(*page_, slot_).fetch_or(bit_of(slot_)); // if it was erased
  parked.store(0);
}

Nanos EngineClient::release() {
  Nanos const held = device_now() - since_;
  end_hold(*page_, slot_);
  for (int attempt = 0; attempt < max_races; ++attempt) {
    std::uint64_t word = page_->owner.load();
    if (slot_in(word) != slot_) return held; // point 6
    std::uint32_t const next = next_waiting(*page_, slot_);
    if (!page_->owner.compare_exchange_strong(word, successor(word, next))) continue;
    if (next != no_slot)
      wake(*page_, next);
    else
      (void)serve_waiters(*page_, slot_);
    break;
  }
  return held;
}

bool evict(EnginePage& page, std::uint32_t slot) {
  if (slot >= slot_count) return false;
  word_of(page, slot).fetch_and(~bit_of(slot));
  end_hold(page, slot);
  std::uint64_t dead = std::uint64_t{slot} + 1; // the next one in this slot has another context
  page.last.compare_exchange_strong(dead, 0);

  bool moved = false;
  for (int attempt = 0; attempt < max_races && !moved; ++attempt) {
    std::uint64_t word = page.owner.load();
    std::uint32_t const now_owner = slot_in(word);
    bool const pass_on = now_owner == slot || now_owner == no_slot;
    moved = page.owner.compare_exchange_strong(
        word, successor(word, pass_on ? next_waiting(page, slot) : now_owner));
  }
  bool const served = serve_waiters(page, slot);

  std::uint32_t const now_owner = owner(page);
  for (std::uint32_t other = 0; other < slot_count; ++other) {
    if (other != now_owner && (word_of(page, other).load() & bit_of(other)) == 0) continue;
    page.slot[other].parked.store(0);
    base::futex_wake(page.slot[other].parked, 1);
  }
  return moved && served;
}

std::uint32_t owner(EnginePage const& page) { return slot_in(page.owner.load()); }

Nanos busy_since(EnginePage const& page) {
  std::uint64_t const word = page.owner.load();
  std::uint32_t const slot = slot_in(word);
  if (slot == no_slot) return Nanos{0};
  std::uint64_t const since = page.slot[slot].since_ns.load();
  if (page.owner.load() != word || since > static_cast<std::uint64_t>(device_now().count())) return Nanos{0};
  return to_nanos(since);
}

Switches switches(EnginePage const& page) {
  return {page.switches.load(), to_nanos(page.switching_ns.load())};
}

Nanos busy_total(EnginePage const& page) {
  Nanos const since = busy_since(page);
  Nanos const present = since.count() == 0 ? Nanos{0} : device_now() - since;
  return to_nanos(page.busy_ns.load() + static_cast<std::uint64_t>(present.count()));
}

} // namespace pegasus::shared
