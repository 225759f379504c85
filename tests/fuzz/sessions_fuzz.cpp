// SPDX-License-Identifier: Apache-2.0
// Programs that connect, wait, end and are killed, workers that die, and an operator who sets, removes and switches, in
// any order, on a real pegasusd. After each step, what the daemon shows is compared with what was done.
//
// Input: steps, a byte that chooses what to do and one that chooses the domain, then what the step needs.
#include "tests/fuzz/daemon_host.h"

#include "control/figure_values.h"
#include "domA/guests/shared_memory.h"
#include "domA/placement/slots.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/require.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <signal.h>
#include <vector>

namespace {

using namespace pegasus;
using fuzz::DaemonHost;
using fuzz::require;

constexpr unsigned max_steps = 24;
constexpr std::string_view names[] = {"a", "b", "c", "d", "e", "f"};
constexpr double slo_rounding = 1e-6;

// A program's end of its connection, which its worker never uses.
class Link final : public guests::GuestLink {
public:
  explicit Link(unsigned& closed) : closed_(closed) {}
  tl::expected<guests::ChannelSource, std::string> make_channel(ring::Geometry const&,
                                                                std::uint64_t) override {
    static auto const memory = guests::SharedMemory::create("pegasus-fuzz", 4096).value();
    return guests::ChannelSource{.fd = memory.fd()};
  }
  tl::expected<pegasus_totals*, std::string> make_totals() override { return &totals_; }
  void close(pegasus_close_reason) override {
    require(!std::exchange(is_closed_, true)); // once
    ++closed_;
  }

private:
  unsigned& closed_;
  bool is_closed_ = false;
  pegasus_totals totals_{};
};

class Machine {
public:
  explicit Machine(fuzz::Input& input) : input_(input) {}

  void step() {
    auto const choice = input_.take<std::uint8_t>();
    std::string const name(names[input_.take<std::uint8_t>() % std::size(names)]);
    switch (choice % 16) {
    case 0:
    case 1:
    case 2:
    case 3:
      connect(name);
      break;
    case 4:
    case 5:
      leave(name);
      break;
    case 6:
      worker_dies(name);
      break;
    case 7:
      remove(name);
      break;
    case 8:
      switch_policy();
      break;
    case 9:
      host_.daemon().sessions().give_up(input_.take<std::uint8_t>());
      break;
    case 10:
      host_.run();
      break;
    default:
      set(name);
      break;
    }
    check();
  }

  // All programs end. Nothing is left then.
  void end() {
    for (auto const& [task, name] : live_)
      host_.daemon().sessions().guest_left(task);
    host_.end_tasks();
    require(closed_ == admitted_);
    control::Request request;
    request.mutable_accelerators();
    control::Reply const reply = host_.ask(request);
    for (control::Accelerator const& one : reply.accelerators().accelerator()) {
      control::AcceleratorFigures const figures = control::figures_of(one);
      require(figures.tasks == 0 && figures.domains == 0 && figures.memory_used_bytes == 0);
    }
    host_.reset();
    require(host_.domains().domain_size() == 0);
  }

private:
  [[nodiscard]] static std::optional<control::Domain> find(control::Domains const& all,
                                                           std::string const& name) {
    for (control::Domain const& one : all.domain())
      if (one.name() == name) return one;
    return std::nullopt;
  }

  // For a person who repeats an input.
  template <class... T> static void show(T const&... what) {
    static bool const shown = std::getenv("PEGASUS_FUZZ_SHOW") != nullptr;
    if (!shown) return;
    (fmt::print(stderr, "{} ", what), ...);
    fmt::print(stderr, "\n");
  }

  void connect(std::string const& name) {
    control::Domains const before = host_.domains();
    auto const was = find(before, name);
    auto const reply =
        host_.daemon().sessions().admit(name, {}, {.pid = 1, .user = 1}, std::make_shared<Link>(closed_));
    show(name, reply ? "connected" : reply.error().message);
    if (!reply) {
      require(reply.error().error != 0 && !reply.error().message.empty());
      return;
    }
    require(reply->task < shared::slot_count && !live_.contains(reply->task));
    live_.emplace(reply->task, name);
    ++admitted_;
    auto const is = find(host_.domains(), name);
    require(is && !is->waiting() && is->not_admitted().empty());
    if (!was || was->task_size() == 0) has_not_overtaken(*is, before);
  }

  // Whoever waited before it could have been admitted there as well.
  void has_not_overtaken(control::Domain const& admitted, control::Domains const& before) {
    Wanted const own = wanted_[admitted.name()];
    if (own.memory == 0 && own.slo == 0) return;
    auto const itself = find(before, admitted.name());
    Wanted sum = in_use(admitted.accelerator());
    for (control::Domain const& one : before.domain()) {
      Wanted const& wanted = wanted_[one.name()];
      bool const first = one.waiting() && one.name() != admitted.name() &&
                         (!itself || !itself->waiting() || one.not_admitted_ns() > itself->not_admitted_ns());
      if (!first || (wanted.only && *wanted.only != admitted.accelerator())) continue;
      sum.memory += wanted.memory;
      sum.slo += wanted.slo;
    }
    require(sum.memory <= DaemonHost::memory_bytes && sum.slo <= 1 + slo_rounding);
  }

  void leave(std::string const& name) {
    if (auto const task = one_of(name)) host_.daemon().sessions().guest_left(*task);
  }

  void worker_dies(std::string const& name) {
    auto const domain = find(host_.domains(), name);
    if (!domain || domain->task_size() == 0) return;
    auto const pid = domain->task(input_.take<std::uint8_t>() % domain->task_size()).worker_pid();
    require(pid > 1);
    kill(static_cast<pid_t>(pid), SIGKILL);
  }

  void remove(std::string const& name) {
    control::Request request;
    request.mutable_remove()->set_name(name);
    request.mutable_remove()->set_kill(input_.take<std::uint8_t>() % 2 != 0);
    if (host_.ask(request).error().empty()) wanted_.erase(name);
  }

  void switch_policy() {
    static constexpr std::string_view policies[] = {"eevdf", "accc", "lead", "dfq",
                                                    "none",  "slaf", "fair", "rr"};
    control::Request request;
    request.mutable_policy()->set_name(
        std::string(policies[input_.take<std::uint8_t>() % std::size(policies)]));
    require(host_.ask(request).error().empty());
  }

  void set(std::string const& name) {
    Wanted wanted = wanted_[name];
    control::Request request;
    control::SetDomain& setting = *request.mutable_set_domain();
    setting.set_name(name);
    setting.set_create(true);
    auto const value = input_.take<std::uint8_t>();
    switch (input_.take<std::uint8_t>() % 5) {
    case 0:
      wanted.memory = (std::uint64_t{value} * 8) << 20; // up to twice what there is
      setting.add_setting(fmt::format("memory={}M", value * 8));
      break;
    case 1:
      wanted.slo = value % 21 / 20.0;
      setting.add_setting(fmt::format("slo={}", wanted.slo));
      break;
    case 2:
      wanted.only = value % 3 == 2 ? std::nullopt : std::optional(value % 3u);
      setting.add_setting(fmt::format("accelerator={}", wanted.only ? std::to_string(*wanted.only) : "any"));
      break;
    case 3:
      setting.add_setting(fmt::format("credits={}", 1 + value * 257));
      break;
    default: {
      control::Request reset;
      reset.mutable_reset_statistics();
      require(host_.ask(reset).error().empty());
      return;
    }
    }
    std::string const error = host_.ask(request).error();
    show(name, setting.setting(0), error);
    if (error.empty()) wanted_[name] = wanted;
  }

  struct Wanted {
    std::uint64_t memory = 0;
    double slo = 0;
    std::optional<std::uint32_t> only;
  };

  // Of the domains with tasks on an accelerator.
  Wanted in_use(std::uint32_t accelerator) {
    Wanted sum;
    control::Domains const all = host_.domains();
    for (control::Domain const& one : all.domain()) {
      if (one.task_size() == 0 || one.accelerator() != accelerator) continue;
      sum.memory += wanted_[one.name()].memory;
      sum.slo += wanted_[one.name()].slo;
    }
    return sum;
  }

  std::optional<std::uint32_t> one_of(std::string const& name) {
    std::vector<std::uint32_t> tasks;
    for (auto const& [task, domain] : live_)
      if (domain == name) tasks.push_back(task);
    if (tasks.empty()) return std::nullopt;
    return tasks[input_.take<std::uint8_t>() % tasks.size()];
  }

  void check() {
    // A worker's end is seen in the loop only. The others' tasks are as they were.
    control::Domains const all = host_.domains();
    std::map<std::uint32_t, std::string> shown;
    for (control::Domain const& one : all.domain()) {
      require(static_cast<std::size_t>(one.task_size()) <= placement::SlotRequest::per_domain);
      require(!one.waiting() || one.task_size() == 0);
      for (control::Task const& task : one.task())
        require(shown.emplace(task.id(), one.name()).second); // no slot has two tasks
    }
    require(shown.size() == host_.daemon().sessions().size());
    std::erase_if(live_, [&](auto const& entry) { return !shown.contains(entry.first); });
    require(live_ == shown); // a task that nobody ended is there, and no other
    require(closed_ == admitted_ - live_.size());
    for (std::uint32_t index = 0; index < DaemonHost::accelerators; ++index) {
      Wanted const sum = in_use(index);
      require(sum.memory <= DaemonHost::memory_bytes && sum.slo <= 1 + slo_rounding);
    }
  }

  fuzz::Input& input_;
  DaemonHost& host_ = DaemonHost::get();
  std::map<std::uint32_t, std::string> live_; // task: domain
  std::map<std::string, Wanted> wanted_;      // what the operator set
  unsigned admitted_ = 0, closed_ = 0;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t bytes) {
  fuzz::Input input(data, bytes);
  Machine machine(input);
  for (unsigned n = 0; n < max_steps && !input.empty(); ++n)
    machine.step();
  machine.end();
  return 0;
}
