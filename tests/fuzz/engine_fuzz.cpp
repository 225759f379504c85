// SPDX-License-Identifier: Apache-2.0
// Attacks on the line for the engine: hostile workers in the other slots write their places, and pegasusd admits,
// dismisses and frees them, before any access by an honest worker. The worker repeatedly takes the engine, works and
// releases it; its gate closes at any time.
//
// Input: how often the worker spins (8 bits), then events: after how many accesses (8 bits), which one (8 bits)
// and its operands. Once the bytes have run out, the hostile workers no longer write. pegasusd then dismisses who is
// first every so often, as a policy does that charges a hold: the honest worker gets the engine when each hostile
// one was dismissed.
#include "domA/device/shared/engine_admission.h"

#include "domA/device/shared/clock.h"
#include "domA/device/software/engine_hold.h"
#include "tests/fuzz/engine_page_accesses.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/require.h"

#include <cstring>
#include <memory>
#include <sys/prctl.h>

namespace {

using namespace pegasus;
using namespace pegasus::shared;
using namespace pegasus::software;
using fuzz::require;

constexpr std::uint32_t own = 65; // the honest slot: neither the first nor the last of a word of bits
constexpr std::uint32_t hostile[] = {0, 64, 1023};
constexpr unsigned rounds = 8;
constexpr unsigned quiet_accesses_a_look = 64; // between two looks of pegasusd, after the last event
constexpr std::uint64_t max_release = 64;      // accesses: two bitmaps and four places

class Machine final : public EngineGate {
public:
  explicit Machine(fuzz::Input input) : input_(input), spins_(input_.take<std::uint8_t>() % 4) {
    skip_ = input_.take<std::uint8_t>() % 32;
    admission_.admit(own);
    for (std::uint32_t const slot : hostile)
      admission_.admit(slot);
    now_ = this;
    fuzz::before_each_access([](void const volatile* address) { now_->accessed(address); });
  }
  ~Machine() { fuzz::before_each_access(nullptr); }
  Machine(Machine const&) = delete;
  Machine& operator=(Machine const&) = delete;

  void run() {
    EngineClient slot(access_.get(), pages_.get(), &(*pages_)[own], own, {spins_, Nanos{0}}, this);
    for (unsigned round = 0; round < rounds; ++round)
      take_a_turn(slot);
  }

private:
  void take_a_turn(EngineClient& slot) {
    EngineUse use{.slot = &slot, .executing_since = &executing_since_, .busy = {}};
    Nanos const before = device_now();
    Nanos taken{};
    Nanos worked{};
    looks_while_quiet_ = 0;
    {
      waiting_ = true;
      EngineHold const hold(use);
      waiting_ = false;
      require(on_device_);
      taken = device_now();
      require(executing_since_ != 0);
      worked = device_now() - taken;
      releasing_ = accesses_;
    }
    require(accesses_ - releasing_ <= max_release);
    require((*pages_)[own].place.ticket == 0);
    // The worker's own account does not depend on the pages.
    require(use.busy >= worked && use.busy <= device_now() - before);
    require(executing_since_ == 0);
  }

  // EngineGate: open again at once.
  void off_device() override {
    require(on_device_);
    on_device_ = false;
    closed_ = false;
  }
  bool may_wait() override {
    require(!on_device_);
    if (!closed_) return true;
    on_device_ = true;
    return false;
  }
  bool may_enter() override {
    require(!on_device_);
    on_device_ = true;
    return !closed_;
  }
  void wait_until_open() override { require(on_device_ && (*pages_)[own].place.ticket == 0); }

  template <class T> [[nodiscard]] static bool within(T const& area, void const volatile* address) {
    auto const* const byte = static_cast<std::byte const*>(const_cast<void const*>(address));
    auto const* const first = reinterpret_cast<std::byte const*>(&area);
    return byte >= first && byte < first + sizeof area;
  }

  void accessed(void const volatile* address) {
    require(within(*access_, address) || within(*pages_, address));
    ++accesses_;
    if (input_.empty()) return pass_quietly();
    if (skip_ > 0) {
      --skip_;
      return;
    }
    skip_ = input_.take<std::uint8_t>() % 32;
    happens();
  }

  void pass_quietly() {
    if (!waiting_ || ++quiet_ % quiet_accesses_a_look != 0) return;
    auto const first = admission_.first();
    if (!first || *first == own) return;
    require(++looks_while_quiet_ <= std::size(hostile));
    admission_.dismiss(*first);
  }

  void happens() {
    auto const what = input_.take<std::uint8_t>() % 10;
    std::uint32_t const slot = hostile[input_.take<std::uint8_t>() % std::size(hostile)];
    EnginePlace& place = (*pages_)[slot].place;
    switch (what) {
    case 0: // it comes before all others
      place.ticket = input_.take<std::uint8_t>();
      break;
    case 1:
      place.ticket = input_.take<std::uint64_t>();
      break;
    case 2: // it comes now
      place.ticket = static_cast<std::uint64_t>(device_now().count());
      break;
    case 3:
      place.released_ns = input_.take<std::uint64_t>();
      break;
    case 4:
      place.left = input_.take<std::uint32_t>();
      break;
    case 5:
      place.sleeps = input_.take<std::uint32_t>();
      break;
    case 6:
      admission_.admit(slot);
      break;
    case 7:
      admission_.dismiss(slot);
      break;
    case 8:
      admission_.leave(slot);
      break;
    default:
      closed_ = true;
    }
    auto const first = admission_.first();
    require(!first || access_->admitted.has(*first));
    require(admission_.switches().time.count() >= 0);
  }

  static inline Machine* now_ = nullptr;
  fuzz::Input input_;
  std::uint32_t spins_;
  // Exact: the sanitizer sees beyond them.
  std::unique_ptr<EngineAccess> access_ = std::make_unique<EngineAccess>();
  std::unique_ptr<SlotPages> pages_ = std::make_unique<SlotPages>();
  EngineAdmission admission_{*access_, *pages_};
  std::atomic<std::uint64_t> executing_since_{0};

  unsigned skip_ = 0; // accesses before the next event
  std::uint64_t accesses_ = 0, releasing_ = 0, quiet_ = 0;
  unsigned looks_while_quiet_ = 0;
  bool waiting_ = false, on_device_ = true, closed_ = false;
};

} // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  return prctl(PR_SET_TIMERSLACK, 1); // a sleep of no time must take no time
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t bytes) {
  Machine(fuzz::Input(data, bytes)).run();
  return 0;
}
