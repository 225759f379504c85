// SPDX-License-Identifier: Apache-2.0
// Compares the states of a domain's vCPU 0 as pegasusd sees them with Xen's answers to hypercalls, once a millisecond. Prints
// one line of JSON: looks, those that differ, those during which the state changed.
//
//   state_probe DOMID [LOOKS]
#include "domA/scheduler/loop/xen/hypercalls.h"
#include "domA/scheduler/loop/xen/schedule.h"

#include <cstdio>
#include <cstdlib>
#include <thread>

using namespace pegasus;
using namespace std::chrono_literals;

namespace {

policies::Time now() { return policies::Time{std::chrono::steady_clock::now().time_since_epoch()}; }

// Runs, is blocked, or neither; nullopt: Xen does not say.
std::optional<monitor::VcpuState> ask(xen::Hypercalls& calls, std::uint32_t domain) {
  xen::Domctl asked{};
  asked.call.cmd = XEN_DOMCTL_getvcpuinfo;
  asked.call.domain = static_cast<domid_t>(domain);
  if (!calls.domctls({&asked, 1}) || asked.answer != 0) return std::nullopt;
  if (asked.call.u.getvcpuinfo.running != 0) return monitor::VcpuState::running;
  return asked.call.u.getvcpuinfo.blocked != 0 ? monitor::VcpuState::blocked : monitor::VcpuState::runnable;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: state_probe DOMID [LOOKS]\n", stderr);
    return 2;
  }
  auto const domain = static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10));
  unsigned long const looks = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 2000;
  xen::Hypercalls calls;
  auto const schedule = xen::Schedule::open(now);
  unsigned long differ = 0;
  unsigned long changed = 0;
  for (unsigned long i = 0; i < looks; ++i, std::this_thread::sleep_for(1ms)) {
    auto const before = ask(calls, domain);
    auto const seen = schedule ? schedule->vcpu(domain, 0, now()) : std::nullopt;
    auto const after = ask(calls, domain);
    if (!before || !seen || !after) {
      std::fputs("state_probe: no such domain, or Xen does not show us its schedule\n", stderr);
      return 1;
    }
    changed += *before != *after;
    differ += *before == *after && seen->state != *before;
  }
  std::printf("{\"looks\":%lu,\"differ\":%lu,\"changed\":%lu,\"source\":\"%s\"}\n", looks, differ, changed,
              schedule->source().c_str());
  return 0;
}
