// SPDX-License-Identifier: Apache-2.0
// Honest domains and others on a virtual device, to which things happen in any order; it says which property that always
// holds is broken. Programs of honest domains launch short kernels and die only when their steps say so; the others do
// anything.
#pragma once

#include "domA/scheduler/testing/virtual_device.h"

#include <chrono>
#include <iosfwd>
#include <map>

namespace pegasus::scheduler::testing {

struct Step {
  enum Kind : std::uint32_t { launch, attach, die, use, change, wait, kinds };
  Kind kind;
  std::uint32_t which; // index of a task, policy or domain, modulo their number
  Nanos time;          // the kernel's length, or how long to wait; > 0
};

std::ostream& operator<<(std::ostream& out, Step const& step);

class Crowd {
public:
  static constexpr std::uint32_t honest = 2, domains = 5; // the first `honest` of `domains`, from 1 on

  Crowd(policies::Entry const& policy, VirtualDevice::Busy busy);

  // Returns the broken property, or nullptr if none is broken.
  char const* take(Step const& step);

private:
  static constexpr Nanos tick = std::chrono::milliseconds(10);
  static constexpr Nanos runaway = std::chrono::milliseconds(200);
  static constexpr std::size_t honest_tasks = 2; // of each

  struct Served {
    Nanos time{0}; // of the device, so far
    Time at{};
  };
  static bool is_honest(DomainId domain) { return domain <= honest; }
  [[nodiscard]] char const* wait(Nanos time);
  [[nodiscard]] char const* broken();
  [[nodiscard]] char const* blamed();
  [[nodiscard]] std::ptrdiff_t open_gates();
  [[nodiscard]] bool keeps_none_waiting() const;
  [[nodiscard]] bool idle_in_vain();
  [[nodiscard]] bool starved(DomainId domain);

  VirtualDevice device_;
  policies::Entry const* policy_;
  Time switched_{};
  std::map<DomainId, Served> served_; // of honest domains
};

} // namespace pegasus::scheduler::testing
