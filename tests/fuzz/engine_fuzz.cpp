// SPDX-License-Identifier: Apache-2.0
// Attacks on the engine's page: hostile workers in the other slots write to it before any access by an honest
// worker and by the daemon. The worker repeatedly takes the engine, works and releases it. The daemon's watch
// looks for workers that wait without end, and slots are evicted.
//
// Input: how often the worker spins (8 bits), then lies: after how many accesses (8 bits), which lie (8 bits)
// and its operands. Once the bytes have run out, the hostile workers no longer write to the page. The honest
// worker then gets the engine after at most one eviction per slot that waits according to the page.
#include "domA/device/shared/engine.h"

#include "domA/daemon/engine_watchdog.h"
#include "domA/device/software/engine_hold.h"
#include "tests/fuzz/engine_page_accesses.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/require.h"

#include <bit>
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
constexpr unsigned quiet_accesses_a_look = 64; // between two looks of the daemon, after the last lie
// evict() tries a thousand times and looks at all bits each time; then it wakes the waiters.
constexpr std::uint64_t max_accesses = 45'000;

class Machine {
public:
  explicit Machine(fuzz::Input input) : input_(input), spins_(input_.take<std::uint8_t>() % 4) {
    skip_ = input_.take<std::uint8_t>() % 32;
    watch_.tasks_changed(2);
    now_ = this;
    fuzz::before_each_access([](void const volatile* address) { now_->accessed(address); });
  }
  ~Machine() { fuzz::before_each_access(nullptr); }
  Machine(Machine const&) = delete;
  Machine& operator=(Machine const&) = delete;

  void run() {
    EngineClient slot(page_.get(), own, {spins_, Nanos{0}});
    for (unsigned round = 0; round < rounds; ++round)
      take_a_turn(slot);
    look_at_page();
  }

private:
  void take_a_turn(EngineClient& slot) {
    usage_[0].activity = gate::Activity::running;
    EngineUse use{.slot = &slot, .executing_since = &usage_[0].executing_since_ns, .busy = {}};
    Nanos const before = device_now();
    Nanos taken{};
    Nanos worked{};
    looks_while_quiet_ = 0;
    {
      waiting_ = true;
      EngineHold const hold(use);
      waiting_ = false;
      taken = device_now();
      require(usage_[0].executing_since_ns != 0);
      worked = device_now() - taken;
      releasing_ = accesses_;
    }
    require(accesses_ - releasing_ <= max_accesses);
    // The worker's own account does not depend on the page.
    Nanos const counted = use.busy;
    require(counted >= worked && counted <= device_now() - before);
    require(usage_[0].executing_since_ns == 0);
    usage_[0].device_busy_ns += static_cast<std::uint64_t>(counted.count());
    ++usage_[0].calls;
  }

  // Asks what the daemon may ask at any time.
  void look_at_page() {
    std::uint32_t const named = owner(*page_);
    require(named == no_slot || named < slot_count);
    Nanos const since = busy_since(*page_);
    require(since.count() >= 0 && since <= device_now());
    require(busy_total(*page_).count() >= 0);
  }

  void accessed(void const volatile* address) {
    auto const* const byte = static_cast<std::byte const*>(const_cast<void const*>(address));
    auto const* const first = reinterpret_cast<std::byte const*>(page_.get());
    require(byte >= first && byte < first + sizeof *page_);
    ++(in_daemon_ ? daemon_accesses_ : accesses_);
    if (moved_ > 0) { // the generation advances: no other swap succeeds
      --moved_;
      page_->owner += 1 << 16;
    }
    if (input_.empty()) return pass_quietly();
    if (skip_ > 0) {
      --skip_;
      return;
    }
    skip_ = input_.take<std::uint8_t>() % 32;
    lie();
  }

  void pass_quietly() {
    if (in_daemon_ || !waiting_ || moved_ > 0 || ++quiet_ % quiet_accesses_a_look != 0) return;
    unsigned waiting = 2; // the owner, and a slot that was given the engine unasked
    for (auto const& word : page_->waiting)
      waiting += static_cast<unsigned>(std::popcount(word.load()));
    // Each is evicted at the second look that finds no progress.
    max_looks_ = std::max(max_looks_, 2 * waiting);
    require(++looks_while_quiet_ <= max_looks_);
    daemon_looks();
  }

  template <class Body> void as_daemon(Body body) {
    if (in_daemon_) return; // the daemon is one thread
    in_daemon_ = true;
    std::uint64_t const before = daemon_accesses_;
    body();
    require(daemon_accesses_ - before <= max_accesses);
    in_daemon_ = false;
  }
  void daemon_looks() {
    as_daemon([&] { io_.poll_one(); });
  }

  void lie() {
    auto const what = input_.take<std::uint8_t>() % 14;
    auto const number = input_.take<std::uint16_t>();
    std::uint32_t const slot = number % slot_count;
    switch (what) {
    case 0: // the engine has an owner
      page_->owner = (page_->owner & ~std::uint64_t{0xffff}) | number % 2048;
      break;
    case 1: // the engine is free
      page_->owner += 1 << 16;
      page_->owner &= ~std::uint64_t{0xffff};
      break;
    case 2:
      page_->owner = input_.take<std::uint64_t>();
      break;
    case 3:
      page_->waiting[number % page_->waiting.size()] =
          number % 64 == 0 ? input_.take<std::uint64_t>() : std::uint64_t{1} << number / 64 % 64;
      break;
    case 4: // no worker waits
      for (auto& word : page_->waiting)
        word = 0;
      break;
    case 5:
      page_->slot[slot].since_ns = input_.take<std::uint64_t>();
      break;
    case 6:
      page_->slot[number % 2 == 0 ? own : slot].parked = input_.take<std::uint32_t>();
      break;
    case 7:
      page_->busy_ns = input_.take<std::uint64_t>();
      break;
    case 8:
      moved_ = moves_left_; // longer than any operation may take
      moves_left_ = 0;
      break;
    case 9: { // a worker ends, or is said to end
      std::uint32_t const gone = number % 4 == 0 ? slot : hostile[number % std::size(hostile)];
      as_daemon([&] { (void)evict(*page_, gone); });
      break;
    }
    case 10:
      daemon_looks();
      break;
    case 11:
      as_daemon([&] { look_at_page(); });
      break;
    case 12: { // a hostile worker writes to its own usage page
      gate::UsagePage& usage = usage_[1 + number % std::size(hostile)];
      usage.activity = static_cast<gate::Activity>(number / 4 % 4);
      usage.executing_since_ns = number / 16 % 2;
      usage.calls = input_.take<std::uint64_t>();
      break;
    }
    default: { // anything, anywhere
      auto const bytes = input_.take_bytes(input_.take<std::uint8_t>() % 64);
      auto const at = number * std::size_t{7} % (sizeof *page_ - 64);
      std::memcpy(reinterpret_cast<std::byte*>(page_.get()) + at, bytes.data(), bytes.size());
    }
    }
  }

  [[nodiscard]] std::vector<daemon::EngineWatchdog::Task> tasks() const {
    std::vector<daemon::EngineWatchdog::Task> all{{own, &usage_[0]}};
    for (std::size_t i = 0; i < std::size(hostile); ++i)
      all.push_back({hostile[i], &usage_[i + 1]});
    return all;
  }

  static inline Machine* now_ = nullptr;
  fuzz::Input input_;
  std::uint32_t spins_;
  std::unique_ptr<EnginePage> page_ = std::make_unique<EnginePage>(); // exact: the sanitizer sees beyond it
  gate::UsagePage usage_[1 + std::size(hostile)]{};
  boost::asio::io_context io_{1};
  daemon::EngineWatchdog watch_{
      io_,
      *page_,
      {.limit = Nanos{0}, .tasks = [this] { return tasks(); }, .period = std::chrono::milliseconds{0}}};

  unsigned skip_ = 0;       // accesses before the next lie
  std::uint64_t moved_ = 0; // accesses for which the owner's word changes each time
  std::uint64_t moves_left_ = 2 * max_accesses;
  std::uint64_t accesses_ = 0, releasing_ = 0, quiet_ = 0; // of the worker
  std::uint64_t daemon_accesses_ = 0;
  unsigned looks_while_quiet_ = 0, max_looks_ = 0;
  bool in_daemon_ = false, waiting_ = false;
};

} // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  return prctl(PR_SET_TIMERSLACK, 1); // a sleep of no time must take no time
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t bytes) {
  Machine(fuzz::Input(data, bytes)).run();
  return 0;
}
