// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/loop/xen/schedule.h"

#include "domA/scheduler/loop/xen/hypervisor_pages.h"
#include "domA/scheduler/loop/xen/stock_states.h"
#include "monitor/credit_window.h"
#include "xen-patches/abi/sched_state.h"

#include <cerrno>
#include <fmt/format.h>
#include <map>
#include <unistd.h>

namespace pegasus::xen {
namespace {

using monitor::VcpuSchedule;
using monitor::VcpuState;

// The operator's `xl sched-credit -w` takes effect within this time.
constexpr Nanos weight_review{std::chrono::seconds(1)};

// An estimate says what the vCPU has left of a whole pCPU. One that shares its pCPU with another as heavy has used up its
// credit when half of that is gone.
bool has_credit(VcpuSchedule const& vcpu) {
  if (vcpu.priority == XEN_SCHED_PRIORITY_none) return credit_left(vcpu) > monitor::CreditWindow::period / 2;
  return vcpu.priority != XEN_SCHED_PRIORITY_over;
}

class XenSchedule final : public Schedule {
public:
  explicit XenSchedule(Clock clock) : memory_(xenforeignmemory_open(nullptr, 0)) {
    logger_.reset(
        reinterpret_cast<xentoollog_logger*>(xtl_createlogger_stdiostream(stderr, XTL_CRITICAL, 0)));
    libxl_ctx* context = nullptr;
    if (libxl_ctx_alloc(&context, LIBXL_VERSION, 0, logger_.get()) == 0) toolstack_.reset(context);
    states_ = HypervisorPages::open(memory_.get());
    if (!states_) states_ = std::make_unique<StockStates>(calls_, memory_.get(), std::move(clock));
  }

  CpuState read(std::uint32_t domain, std::uint32_t id, Time now) override {
    CpuState state{.weight = parameters(domain, now).weight};
    if (auto const known = vcpu(domain, id, now)) {
      state.running = known->state == VcpuState::running;
      if (state.running) state.running_since = known->since;
      if (known->state == VcpuState::blocked) state.blocked_since = known->since;
      state.credit_left = credit_left(*known);
    }
    return state;
  }

  std::optional<VcpuSchedule> vcpu(std::uint32_t domain, std::uint32_t id, Time now) override {
    auto const began = std::chrono::steady_clock::now();
    auto const known = states_->vcpu(domain, id, now);
    spent_ += std::chrono::steady_clock::now() - began;
    ++looks_;
    return known;
  }

  // A vCPU that wakes with credit goes before others of its priority: a pause and its end wake those that want a pCPU. Both in
  // one hypercall: no death of ours leaves the guest paused. One without credit would go to the end of its queue.
  Boost boost(std::uint32_t domain, std::uint32_t id, Time now) override {
    auto const known = states_->vcpu(domain, id, now);
    if (!known) return Boost::gone;
    auto const asked = parameters_.find(domain); // of the last second: read() asks again, at a better moment
    if ((asked == parameters_.end() ? parameters(domain, now) : asked->second).scheduler !=
        LIBXL_SCHEDULER_CREDIT)
      return Boost::unsupported;
    if (known->state != VcpuState::runnable || !has_credit(*known)) return Boost::given;
    Domctl calls[2]{};
    calls[0].call.cmd = XEN_DOMCTL_pausedomain;
    calls[1].call.cmd = XEN_DOMCTL_unpausedomain;
    for (Domctl& each : calls)
      each.call.domain = static_cast<domid_t>(domain);
    if (!calls_.domctls(calls)) return Boost::unsupported;
    if (calls[0].answer == -ESRCH) return Boost::gone;
    return calls[0].answer == 0 ? Boost::given : Boost::unsupported;
  }

  void forget(std::uint32_t domain) override {
    states_->forget(domain);
    parameters_.erase(domain);
  }

  std::string source() const override {
    if (looks_ == 0) return states_->name();
    return fmt::format("{} ({:.1f} us a look)", states_->name(),
                       std::chrono::duration<double, std::micro>(spent_).count() /
                           static_cast<double>(looks_));
  }

private:
  struct Parameters {
    libxl_scheduler scheduler = LIBXL_SCHEDULER_UNKNOWN;
    std::uint32_t weight = policies::default_credits;
    Time until = Time::min();
  };

  Parameters const& parameters(std::uint32_t domain, Time now) {
    Parameters& known = parameters_[domain];
    if (now >= known.until) {
      ask(domain, known);
      known.until = now + weight_review;
    }
    return known;
  }

  void ask(std::uint32_t domain, Parameters& known) const {
    if (!toolstack_) return;
    libxl_domain_sched_params answer;
    libxl_domain_sched_params_init(&answer);
    if (libxl_domain_sched_params_get(toolstack_.get(), domain, &answer) == 0) {
      known.scheduler = answer.sched;
      if (answer.weight > 0) known.weight = static_cast<std::uint32_t>(answer.weight);
    }
    libxl_domain_sched_params_dispose(&answer);
  }

  Handle<xentoollog_logger> logger_;
  Handle<libxl_ctx> toolstack_;
  Handle<xenforeignmemory_handle> memory_;
  Hypercalls calls_;
  std::unique_ptr<StateSource> states_;
  std::map<std::uint32_t, Parameters> parameters_;
  Nanos spent_{0};
  std::uint64_t looks_ = 0;
};

} // namespace

std::unique_ptr<Schedule> Schedule::open(Clock clock) {
  if (access("/dev/xen/privcmd", F_OK) != 0) return nullptr;
  return std::make_unique<XenSchedule>(std::move(clock));
}

} // namespace pegasus::xen
