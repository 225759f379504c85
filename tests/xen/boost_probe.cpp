// SPDX-License-Identifier: Apache-2.0
// Measures how long a vCPU with credit waits for its pCPU after losing it to other vCPUs, alternately without
// and with a boost. The vCPU's guest computes now and then, beside others. Prints one line
// of JSON, times in microseconds.
//
//   boost_probe DOMID [WAITS]
//   boost_probe DOMID once     boosts its vCPU 0 and prints what Xen says: given, gone or unsupported
#include "domA/scheduler/loop/xen/schedule.h"
#include "monitor/credit_window.h"
#include "xen-patches/abi/sched_state.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

using namespace pegasus;
using namespace std::chrono_literals;
using monitor::VcpuSchedule;
using monitor::VcpuState;

namespace {

constexpr auto patience = 30s; // for the awaited state
// Xen itself boosts a vCPU that has just woken up, until the next tick, a third of a time slice. No
// boost overtakes it.
constexpr auto boosts_of_others = 35ms;

policies::Time now() { return policies::Time{std::chrono::steady_clock::now().time_since_epoch()}; }

// Waits until the vCPU is in such a state and entered it after `since`.
template <class Such>
std::optional<VcpuSchedule> await(xen::Schedule& schedule, std::uint32_t domain, policies::Time since,
                                  Such such) {
  for (auto const end = now() + patience; now() < end; std::this_thread::sleep_for(200us))
    if (auto const vcpu = schedule.vcpu(domain, 0, now()); vcpu && vcpu->since > since && such(*vcpu))
      return vcpu;
  return std::nullopt;
}

bool waits(VcpuSchedule const& vcpu) {
  if (vcpu.state != VcpuState::runnable) return false;
  // Where its priority is not shown, its credit is an estimate, of a whole pCPU.
  return vcpu.priority == XEN_SCHED_PRIORITY_none ? credit_left(vcpu) > monitor::CreditWindow::period / 2
                                                  : vcpu.priority == XEN_SCHED_PRIORITY_under;
}
bool runs(VcpuSchedule const& vcpu) { return vcpu.state == VcpuState::running; }

double microseconds(policies::Nanos time) { return std::chrono::duration<double, std::micro>(time).count(); }

void print(char const* name, std::vector<policies::Nanos> waits) {
  std::ranges::sort(waits);
  std::printf("\"%s\":{\"median\":%.1f,\"longest\":%.1f}", name, microseconds(waits[waits.size() / 2]),
              microseconds(waits.back()));
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: boost_probe DOMID [WAITS]\n", stderr);
    return 2;
  }
  auto const domain = static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10));
  unsigned long const wanted = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 20;
  auto const schedule = xen::Schedule::open(now);
  if (schedule && argc > 2 && std::string_view(argv[2]) == "once") {
    constexpr char const* answers[] = {"given", "gone", "unsupported"};
    std::puts(answers[static_cast<std::size_t>(schedule->boost(domain, 0, now()))]);
    return 0;
  }
  if (!schedule || !schedule->vcpu(domain, 0, now())) {
    std::fputs("boost_probe: no such domain, or Xen does not show us its schedule\n", stderr);
    return 1;
  }
  std::vector<policies::Nanos> times[2]; // without, with a boost
  policies::Time since{};
  while (times[1].size() < wanted) {
    auto const waiting = await(*schedule, domain, since, waits);
    if (!waiting) break;
    since = waiting->since;
    std::this_thread::sleep_for(boosts_of_others);
    auto const still = schedule->vcpu(domain, 0, now());
    if (!still || !waits(*still)) continue;
    auto& of_its_kind = times[times[0].size() > times[1].size()];
    policies::Time const from = now();
    if (&of_its_kind == &times[1] && schedule->boost(domain, 0, now()) == xen::Boost::unsupported) {
      std::fputs("boost_probe: this Xen knows no boost\n", stderr);
      return 1;
    }
    auto const running = await(*schedule, domain, still->since, runs);
    if (!running) break;
    since = running->since;
    of_its_kind.push_back(std::max(since - from, policies::Nanos{0}));
  }
  if (times[1].size() < wanted) {
    std::fputs("boost_probe: the vCPU does not wait for its pCPU with credit left\n", stderr);
    return 1;
  }
  std::printf("{\"waits\":%lu,", wanted);
  print("alone", times[0]);
  std::printf(",");
  print("boosted", times[1]);
  std::puts("}");
  return 0;
}
