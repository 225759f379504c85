// SPDX-License-Identifier: Apache-2.0
#include "domA/avcpu/avcpu.h"

namespace pegasus::avcpu {

namespace {
// The arena of an honest guest holds fewer pieces; that of another guest must not fill our memory.
constexpr std::size_t max_reading = 64;
// A call with this many bytes is copied in some microseconds.
constexpr std::uint64_t min_metered = 32 << 10;
// Calls, or parts of a launch, per look at the lease: some microseconds of calls, some dozens of blocks.
constexpr unsigned looks_per_clock = 16;

} // namespace

static_assert(gate::latency_buckets == PEGASUS_LATENCY_BUCKETS);

Avcpu::Step Avcpu::step() {
  using Poll = ring::RequestRing::Poll;
  if (progress_ == Progress::none) {
    Poll const poll = ring_.peek();
    if (poll != Poll::ready) return poll == Poll::empty ? Step::empty : Step::broken;
    if (gate_closed()) return Step::gated;
    if (!ring_.take(call_)) return Step::broken;
    progress_ = Progress::taken;
  }
  if (CallHandler::host_work(call_.call) != HostWork::none || compiles()) return Step::on_host;
  if (progress_ == Progress::interrupted) {
    if (gate_closed()) return Step::gated;
    finish(handler_.resume(*this));
  } else {
    execute();
  }
  return Step::executed;
}

bool Avcpu::compiles() const {
  return progress_ == Progress::interrupted && handler_.context().has_host_work();
}

template <class Call> auto Avcpu::metered(bool long_call, Call call) {
  if (clocks_.host == nullptr) return call();
  device::Nanos const before = clocks_.host();
  if (long_call)
    usage_.host_call_began_ns.store(static_cast<std::uint64_t>(before.count()), std::memory_order_relaxed);
  auto result = call();
  host_busy_ += clocks_.host() - before;
  if (long_call) usage_.host_call_began_ns.store(0, std::memory_order_relaxed);
  return result;
}

void Avcpu::execute_on_host() {
  if (!compiles()) return execute();
  metered(true, [this] { return handler_.context().do_host_work(), 0; });
  publish_totals();
}

bool Avcpu::takes_long() const {
  return compiles() || CallHandler::host_work(call_.call) == HostWork::takes_long;
}

void Avcpu::execute() {
  tell_guest();
  ++calls_;
  bytes_ += call_.data_bytes;
  usage_.last_vcpu.store(call_.guest_cpu, std::memory_order_relaxed);
  finish(result_of_call());
}

// Reading the clock is a system call: it is left out where it would cost more than the work to be metered.
CallResult Avcpu::result_of_call() {
  bool const makes_code = takes_long() || CallHandler::host_work(call_.call) == HostWork::makes_code;
  auto const call = [this] { return handler_.execute(call_, ring_.data(call_), *this); };
  if (!makes_code && call_.data_bytes < min_metered) return call();
  if (clocks_.host != nullptr)
    if (auto const failed = handler_.finish_earlier_work(call_)) return *failed;
  return metered(makes_code, call);
}

bool Avcpu::gate_closed() {
  gate_word_ = gate_.word.load(std::memory_order_seq_cst);
  return (gate_word_ & gate::word_open) == 0 || lease_is_over(gate_word_);
}

// The clock is read only now and then: a null call takes ten times as long as a read. Once the lease is over
// it stays over, whatever the page says, until pegasusd has seen it and changes the word.
bool Avcpu::lease_is_over(std::uint32_t word) const {
  if (lapsed_word_ == word) return true;
  if (clocks_.lease == nullptr || ++lease_looks_ % looks_per_clock != 0) return false;
  std::uint64_t const until = gate_.lease_until_ns.load(std::memory_order_relaxed);
  if (until == 0 || static_cast<std::uint64_t>(clocks_.lease().count()) < until) return false;
  lapsed_word_ = word;
  return true;
}

device::Nanos Avcpu::ends_at() const {
  std::uint64_t const ns = gate_.ends_at_ns.load(std::memory_order_relaxed);
  return ns == 0 ? device::Nanos::max() : device::Nanos(static_cast<std::int64_t>(ns));
}

device::PieceLimit Avcpu::pieces() const {
  std::uint64_t const longest = gate_.longest_piece_ns.load(std::memory_order_relaxed);
  if (longest == 0) return {};
  return {.from =
              device::Nanos(static_cast<std::int64_t>(gate_.pieces_from_ns.load(std::memory_order_relaxed))),
          .longest = device::Nanos(static_cast<std::int64_t>(longest))};
}

void Avcpu::finish(CallResult const& result) {
  sync_calls_ += result.expected;
  publish_totals(); // before the reply: a reader that saw the reply also sees its cost
  if (result.unfinished) {
    progress_ = Progress::interrupted;
    return;
  }
  progress_ = Progress::none;
  device::HostReads reads = handler_.context().host_reads();
  if (reads.begun > reads_begun_) reading_.push_back(call_.sequence);
  reads_begun_ = reads.begun; // restarts from 0 in a new context
  if (!reading_.empty() && (result.expected || reading_.size() >= max_reading)) {
    handler_.context().finish_host_reads();
    reads = handler_.context().host_reads();
  }
  (void)retire(reads);
  if (result.expected)
    ring_.reply(call_.sequence, static_cast<std::int32_t>(result.status), result.flags, result.body);
  finished_ = call_.sequence; // after its reply
  complete();
}

bool Avcpu::retire(device::HostReads const& reads) {
  bool retired = false;
  for (; reading_.size() > reads.begun - reads.done; retired = true)
    reading_.pop_front();
  if (retired) complete();
  return retired;
}

void Avcpu::complete() { ring_.complete(reading_.empty() ? finished_ : reading_.front() - 1); }

bool Avcpu::idle() {
  bool const done = handler_.context().idle() && reading_.empty();
  publish_totals();
  return done;
}

void Avcpu::set_activity(gate::Activity activity) {
  bool const waits = activity == gate::Activity::waiting;
  usage_.requests_waiting.store(waits ? ring_.waiting() + (progress_ != Progress::none ? 1 : 0) : 0,
                                std::memory_order_relaxed);
  if (waits) usage_.obeyed.store(gate_word_, std::memory_order_release);
  usage_.activity.store(activity, std::memory_order_seq_cst);
  waits_ = waits;
  tell_guest();
}

// How to wait for its replies; the guest's line of memory is written when that changes only.
void Avcpu::tell_guest() {
  std::uint32_t state = waits_ ? PEGASUS_WORKER_PAUSED : PEGASUS_WORKER_RUNNING;
  if (gate_.guest_polls.load(std::memory_order_relaxed) != 0) state = PEGASUS_WORKER_POLL;
  if (state == told_) return;
  told_ = state;
  std::atomic_ref(ring_.header().worker_state).store(state, std::memory_order_relaxed);
}

void Avcpu::publish_totals() {
  usage_.calls.store(calls_, std::memory_order_relaxed);
  usage_.sync_calls.store(sync_calls_, std::memory_order_relaxed);
  usage_.bytes.store(bytes_, std::memory_order_relaxed);
  usage_.memory_bytes.store(handler_.context().memory_used(), std::memory_order_relaxed);
  usage_.host_busy_ns.store(static_cast<std::uint64_t>(host_busy_.count()), std::memory_order_release);
  usage_.device_busy_ns.store(static_cast<std::uint64_t>(handler_.context().device_busy().count()),
                              std::memory_order_relaxed);
}

void Avcpu::publish_latency() {
  for (std::size_t b = 0; b < gate::latency_buckets; ++b)
    usage_.latency_bucket[b].store(
        std::atomic_ref(ring_.header().statistics.latency_bucket[b]).load(std::memory_order_relaxed),
        std::memory_order_relaxed);
}

} // namespace pegasus::avcpu
