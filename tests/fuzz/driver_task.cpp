// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/driver_task.h"

#include "domA/device/memory/quota_test_fixture.h"

#include <algorithm>
#include <chrono>

namespace pegasus::fuzz {
namespace {

constexpr std::uint64_t context_bytes = 8 << 10;
constexpr std::size_t metered_bytes = 32 << 10; // from here on the aVCPU waits for earlier work first

using device::Nanos;

// The gate as a task on a GPU sees it: if it interrupts, another domain waits, or is expected.
class Slice final : public device::TimeSlice {
public:
  explicit Slice(Gate const& gate)
      : gate_(gate), began_(std::chrono::steady_clock::now().time_since_epoch()) {}
  bool over() const override { return gate_.over(); }
  Nanos ends_at() const override {
    return gate_.interrupting() ? began_ + std::chrono::milliseconds(1) : Nanos::max();
  }
  device::PieceLimit pieces() const override {
    if (!gate_.interrupting()) return {};
    return {.from = began_, .longest = std::chrono::microseconds(1)};
  }

private:
  Gate const& gate_;
  Nanos began_;
};

constexpr std::uint32_t slot = 0;
constexpr memory::QuotaBooks::DomainId domain = 1;

// One for all tasks, which come one after the other: its pages are 4 MiB.
memory::test::QuotaMemory& accelerator() {
  static memory::test::QuotaMemory quotas(~std::uint64_t{0});
  return quotas;
}

} // namespace

DriverTask::DriverTask(LyingDriver& driver, std::uint64_t bytes, std::uint8_t choices)
    : driver_(driver),
      share_(accelerator().take(slot, domain, {bytes})), options_{.driver = &driver.table(),
                                                                  .memory = share_,
                                                                  .context_bytes = context_bytes,
                                                                  .slice =
                                                                      Nanos(choices % 2 == 0 ? 10'000 : 0),
                                                                  .queued_launches = 1u + choices / 2 % 2,
                                                                  .executing_since = &executing_since_,
                                                                  .pageable = &pageable_} {
  if (choices / 4 % 2 == 0) options_.pinned = call_buffer_;
  if (choices / 8 % 2 == 0) options_.code_cache = code_;
  handler_ = std::make_unique<avcpu::CallHandler>(make_context, this);
}

DriverTask::~DriverTask() {
  handler_.reset();
  require(charged() == 0 && executing_since_ == 0);
  accelerator().books.leave(slot);
}

std::uint64_t DriverTask::charged() { return accelerator().books.used_bytes(domain); }

std::unique_ptr<device::Context> DriverTask::make_context(void* argument) {
  auto& task = *static_cast<DriverTask*>(argument);
  require(charged() == 0 && !task.driver_.have_context);
  auto context = cuda::make_cuda_context(task.options_);
  if (!context) throw NoContext();
  return std::move(*context);
}

void DriverTask::overwrite_code(std::size_t at, std::span<std::byte const> bytes) {
  at %= code_.size();
  std::copy_n(bytes.begin(), std::min(bytes.size(), code_.size() - at),
              code_.begin() + static_cast<std::ptrdiff_t>(at));
}

// As the aVCPU executes a request (domA/avcpu/avcpu.cpp).
avcpu::CallResult DriverTask::call(pegasus_request const& request, std::span<std::byte> data,
                                   Gate const& gate) {
  Slice const slice(gate);
  std::optional<avcpu::CallResult> earlier;
  if (data.size() >= metered_bytes) earlier = handler_->finish_earlier_work(request);
  avcpu::CallResult answer = earlier ? *earlier : handler_->execute(request, data, slice);
  bool const may_wait = request.call == PEGASUS_CALL_LAUNCH || request.call == PEGASUS_CALL_FILL ||
                        request.call == PEGASUS_CALL_LAUNCH_WITH_ATTRIBUTES ||
                        request.call == PEGASUS_CALL_COPY_DEVICE || request.call == PEGASUS_CALL_GRAPH_LAUNCH;
  while (answer.unfinished) {
    require(may_wait && !answer.expected);
    (void)gate.over(); // the aVCPU checks it too
    if (handler_->context().has_host_work()) handler_->context().do_host_work();
    answer = handler_->resume(slice);
  }
  device::HostReads const reads = handler_->context().host_reads();
  require(reads.done <= reads.begun);
  if (answer.expected && reads.begun > reads.done) handler_->context().finish_host_reads();
  (void)handler_->context().idle();
  check(request, answer);
  return answer;
}

void DriverTask::check(pegasus_request const& request, avcpu::CallResult const& answer) {
  require(answer.expected == is_answered_at_once(request.call));
  require(is_known_result(static_cast<int>(answer.status)));
  driver_.check_holds();
  check_charge();
  if (request.call != PEGASUS_CALL_MEMORY_INFO || answer.status != device::Status::success) return;
  pegasus_memory_info_reply info;
  std::memcpy(&info, answer.body, sizeof info);
  require(info.free_bytes <= info.total_bytes && info.total_bytes <= share_.total_bytes());
}

void DriverTask::check_charge() const {
  std::uint64_t const used = handler_->context().memory_used();
  std::uint64_t const known = driver_.allocated_bytes() + context_bytes;
  require(used >= known && (used == known || !driver_.only_allocations()));
  // 0: of a context that did not fit, which has failed.
  require(charged() == used || charged() == 0);
}

} // namespace pegasus::fuzz
