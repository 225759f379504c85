// SPDX-License-Identifier: Apache-2.0
// Checks once a second whether a worker waits for the software accelerator's engine without end. All workers
// write the engine's page, so a worker that its guest has taken over can name a false owner there. The engine
// is then taken from the owner that the page names: a worker that does not have it loses nothing, and one
// that has it continues.
//
// No worker is killed because of that page. The scheduler finds tasks that execute for too long by
// each worker's own page.
#pragma once

#include "domA/device/shared/engine.h"
#include "domA/gate/pages.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <vector>

namespace pegasus::daemon {

class EngineWatchdog {
public:
  using Nanos = std::chrono::nanoseconds;
  struct Task {
    std::uint32_t slot;
    gate::UsagePage const* usage;
  };
  struct Setup {
    Nanos limit; // how long a worker may wait
    std::function<std::vector<Task>()> tasks;
    std::chrono::milliseconds period{1000};
  };
  EngineWatchdog(boost::asio::io_context& io, shared::EnginePage& page, Setup setup);
  // Watches only while tasks could disturb each other: an idle daemon sleeps.
  void tasks_changed(std::size_t tasks);

private:
  struct Progress {
    std::uint64_t done; // calls and device time, as the worker reports them
    Nanos since;        // of the last change
  };
  void sample_later();
  void sample();
  // How long it has been in its call without executing or making progress.
  [[nodiscard]] Nanos waits(Task const& task, Nanos now);

  boost::asio::steady_timer timer_;
  shared::EnginePage& page_;
  Setup setup_;
  bool watching_ = false;
  std::map<std::uint32_t, Progress> progress_; // by slot
};

} // namespace pegasus::daemon
