// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/loop/xen/schedule.h"

#include "monitor/clock_offset.h"
#include "monitor/credit_window.h"

#include <cerrno>
#include <map>
#include <optional>
#include <span>
#include <sys/mman.h>
#include <unistd.h>

extern "C" {
#include <libxl.h>
#include <xencall.h>
#include <xenforeignmemory.h>
#include <xentoollog.h>
}

namespace pegasus::xen {
namespace {

// XENMEM_resource_sched_state, xen-patches/0001: a resource of Xen itself, with the domain as its id.
constexpr unsigned sched_state_resource = 3;
constexpr std::size_t page_bytes = 4096;
constexpr std::size_t max_vcpus = 128; // more than a guest of Xen has on x86
constexpr std::size_t max_pages = (64 + 64 * max_vcpus + page_bytes - 1) / page_bytes;
// The operator's `xl sched-credit -w` takes effect within this time.
constexpr Nanos weight_review{std::chrono::seconds(1)};
// Interval of queries for a domain's vCPUs on an unpatched Xen: each vCPU costs at least one hypercall.
constexpr Nanos vcpu_review{std::chrono::milliseconds(1)};

// SCHEDOP_remote_boost, xen-patches/0002.
constexpr unsigned sched_op = 29; // the hypercall
constexpr unsigned remote_boost = 8;
struct RemoteBoost {
  std::uint16_t domain;
  std::uint16_t pad;
  std::uint32_t vcpu;
};

struct CloseHandle {
  void operator()(xencall_handle* handle) const { xencall_close(handle); }
  void operator()(xenforeignmemory_handle* handle) const { xenforeignmemory_close(handle); }
  void operator()(libxl_ctx* context) const { libxl_ctx_free(context); }
  void operator()(xentoollog_logger* logger) const { xtl_logger_destroy(logger); }
};
template <class T> using Handle = std::unique_ptr<T, CloseHandle>;

class XenSchedule final : public Schedule {
public:
  XenSchedule() {
    memory_.reset(xenforeignmemory_open(nullptr, 0));
    calls_.reset(xencall_open(nullptr, 0));
    if (calls_) boost_ = static_cast<RemoteBoost*>(xencall_alloc_buffer(calls_.get(), sizeof(RemoteBoost)));
    logger_.reset(
        reinterpret_cast<xentoollog_logger*>(xtl_createlogger_stdiostream(stderr, XTL_CRITICAL, 0)));
    libxl_ctx* context = nullptr;
    if (libxl_ctx_alloc(&context, LIBXL_VERSION, 0, logger_.get()) == 0) toolstack_.reset(context);
    // The pages of our own domain show whether this Xen is patched.
    patched_ = memory_ && map(DOMID_SELF).has_value();
  }
  ~XenSchedule() override {
    while (!domains_.empty())
      forget(domains_.begin()->first);
    if (boost_ != nullptr) xencall_free_buffer(calls_.get(), boost_);
  }

  CpuState read(std::uint32_t domain, std::uint32_t id, Time now) override {
    Watched& watched = watch(domain);
    if (now >= watched.weight_until) {
      watched.weight = ask_weight(domain).value_or(watched.weight);
      watched.weight_until = now + weight_review;
    }
    CpuState state{.weight = watched.weight};
    if (watched.resource != nullptr) {
      if (auto const known = vcpu(domain, id, now)) {
        state.running = known->state == monitor::VcpuState::running;
        if (state.running) state.running_since = known->since;
        if (known->state == monitor::VcpuState::blocked) state.blocked_since = known->since;
        state.credit_left = monitor::credit_left(*known);
      }
      return state;
    }
    if (now >= watched.asked_until) {
      ask_vcpus(domain, watched, now);
      watched.asked_until = now + vcpu_review;
    }
    if (auto const known = watched.asked.find(id); known != watched.asked.end()) {
      state.running = known->second.running;
      state.credit_left = known->second.credit.left();
    }
    return state;
  }

  std::optional<monitor::VcpuSchedule> vcpu(std::uint32_t domain, std::uint32_t id, Time now) override {
    auto vcpu = watch(domain).reader.vcpu(id);
    if (!vcpu) return std::nullopt;
    offset_.learn(vcpu->updated, now);
    vcpu->since += offset_.value();
    vcpu->updated += offset_.value();
    return vcpu;
  }

  Boost boost(std::uint32_t domain, std::uint32_t vcpu) override {
    if (boost_ == nullptr) return Boost::unsupported;
    *boost_ = {static_cast<std::uint16_t>(domain), 0, vcpu};
    if (xencall2(calls_.get(), sched_op, remote_boost, reinterpret_cast<std::uintptr_t>(boost_)) == 0)
      return Boost::given;
    return errno == ENOENT || errno == ESRCH ? Boost::gone : Boost::unsupported;
  }

  void forget(std::uint32_t domain) override {
    auto const found = domains_.find(domain);
    if (found == domains_.end()) return;
    if (found->second.resource != nullptr)
      xenforeignmemory_unmap_resource(memory_.get(), found->second.resource);
    domains_.erase(found);
  }

  std::string_view source() const override {
    return patched_ ? "pages written by the hypervisor"
                    : "hypercalls: this Xen lacks XENMEM_resource_sched_state";
  }

private:
  struct Mapping {
    xenforeignmemory_resource_handle* resource = nullptr;
    monitor::ScheduleReader reader;
  };
  struct Asked { // a vCPU's state, by hypercalls
    bool running = false;
    monitor::CreditWindow credit;
  };
  struct Watched : Mapping {
    bool tried = false;
    std::map<std::uint32_t, Asked> asked;
    Time asked_until{};
    std::uint32_t weight = policies::default_credits;
    Time weight_until{};
  };

  Watched& watch(std::uint32_t domain) {
    Watched& watched = domains_[domain];
    if (!watched.tried && patched_) {
      watched.tried = true;
      if (auto mapped = map(domain)) static_cast<Mapping&>(watched) = *mapped;
    }
    return watched;
  }

  // Finds the size by mapping: an unpatched Xen answers a query for the size with nonsense.
  std::optional<Mapping> map(std::uint32_t domain) {
    Mapping mapping;
    for (std::size_t frames = 1; frames <= max_pages; ++frames) {
      void* address = nullptr;
      xenforeignmemory_resource_handle* const resource = xenforeignmemory_map_resource(
          memory_.get(), DOMID_XEN, sched_state_resource, domain, 0, frames, &address, PROT_READ, 0);
      if (resource == nullptr) return std::nullopt;
      auto const reader = monitor::ScheduleReader::open(
          std::span(static_cast<std::byte const*>(address), frames * page_bytes));
      if (reader) {
        mapping.resource = resource;
        mapping.reader = *reader;
        if (domain == DOMID_SELF) xenforeignmemory_unmap_resource(memory_.get(), resource);
        return mapping;
      }
      xenforeignmemory_unmap_resource(memory_.get(), resource); // its slots continue in the next page
    }
    return std::nullopt;
  }

  void ask_vcpus(std::uint32_t domain, Watched& watched, Time now) const {
    if (!toolstack_) return;
    int count = 0;
    int cpus = 0;
    libxl_vcpuinfo* const vcpus = libxl_list_vcpu(toolstack_.get(), domain, &count, &cpus);
    if (vcpus == nullptr) return;
    for (libxl_vcpuinfo const& vcpu : std::span(vcpus, static_cast<std::size_t>(count))) {
      Asked& asked = watched.asked[vcpu.vcpuid];
      asked.running = vcpu.running;
      if (asked.credit.due(now)) asked.credit.learn(Nanos(static_cast<std::int64_t>(vcpu.vcpu_time)), now);
    }
    libxl_vcpuinfo_list_free(vcpus, count);
  }

  std::optional<std::uint32_t> ask_weight(std::uint32_t domain) const {
    if (!toolstack_) return std::nullopt;
    libxl_domain_sched_params parameters;
    libxl_domain_sched_params_init(&parameters);
    bool const known = libxl_domain_sched_params_get(toolstack_.get(), domain, &parameters) == 0;
    int const weight = parameters.weight;
    libxl_domain_sched_params_dispose(&parameters);
    return known && weight > 0 ? std::optional(static_cast<std::uint32_t>(weight)) : std::nullopt;
  }

  Handle<xentoollog_logger> logger_;
  Handle<xenforeignmemory_handle> memory_;
  Handle<xencall_handle> calls_;
  RemoteBoost* boost_ = nullptr; // memory that the hypervisor can read
  Handle<libxl_ctx> toolstack_;
  std::map<std::uint32_t, Watched> domains_;
  bool patched_ = false;
  monitor::ClockOffset offset_;
};

} // namespace

std::unique_ptr<Schedule> Schedule::open() {
  if (access("/dev/xen/privcmd", F_OK) != 0) return nullptr;
  return std::make_unique<XenSchedule>();
}

} // namespace pegasus::xen
