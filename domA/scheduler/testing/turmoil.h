// SPDX-License-Identifier: Apache-2.0
// Everything that a dispatcher keeps is put to use: random events of every kind on a virtual device, the same for the same
// seed. crowd.h looks at what follows from them; this only makes them happen.
#pragma once

#include "domA/scheduler/cpu_schedule.h"
#include "domA/scheduler/testing/virtual_device.h"

#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

namespace pegasus::scheduler::testing {

// Of a CPU schedule that follows from the time alone.
class SteadySchedule final : public CpuSchedule {
public:
  [[nodiscard]] policies::CpuState read(Caller const& caller, Time now) override;
};

class Turmoil {
public:
  // `policies`: those that are used, the one at `seed` first.
  Turmoil(std::vector<std::string_view> policies, std::uint64_t seed);
  Turmoil(Turmoil const&) = delete;
  Turmoil& operator=(Turmoil const&) = delete;

  void step();
  [[nodiscard]] VirtualDevice& device() { return device_; }

private:
  static constexpr std::uint32_t domains = 5;

  [[nodiscard]] std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }
  [[nodiscard]] Nanos time(Nanos most) {
    return Nanos{1 + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(most.count())))};
  }
  [[nodiscard]] gate::OrderKind a_kind();
  [[nodiscard]] TaskId a_task();
  [[nodiscard]] policies::Choice a_choice();
  [[nodiscard]] Dispatcher::Setup setup();
  [[nodiscard]] DomainSettings settings();
  void launch();
  void operate();
  void report();

  std::vector<std::string_view> policies_;
  std::mt19937_64 engine_;
  SteadySchedule schedule_;
  VirtualDevice device_;
};

} // namespace pegasus::scheduler::testing
