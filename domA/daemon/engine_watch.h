// SPDX-License-Identifier: Apache-2.0
// Looks once a second whether a worker waits for the software accelerator's engine without end. All workers
// write the engine's page, so one that is in its guest's hands can say there that somebody has the engine who
// has not. Then it is taken from whom the page names: who is not on it loses nothing, and who is goes on.
//
// Nobody is killed for what stands in that page. Who executes for too long is found by the scheduler, which
// reads each worker's own.
#pragma once

#include "domA/device/shared/engine.h"
#include "domA/gate/pages.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <vector>

namespace pegasus::daemon {

class EngineWatch {
public:
  using Nanos = std::chrono::nanoseconds;
  struct Task {
    std::uint32_t seat;
    gate::UsagePage const* usage;
  };
  struct Setup {
    Nanos limit; // how long a worker may wait
    std::function<std::vector<Task>()> tasks;
    std::chrono::milliseconds period{1000};
  };
  EngineWatch(boost::asio::io_context& io, shared::EnginePage& page, Setup setup);
  // Watches only while `tasks` could disturb each other: an idle daemon sleeps.
  void tasks_changed(std::size_t tasks);

private:
  struct Progress {
    std::uint64_t done; // calls and device time, by its own word
    Nanos since;        // that it is so
  };
  void look_later();
  void look();
  // How long it has been at its call, neither executing nor getting on.
  [[nodiscard]] Nanos waits(Task const& task, Nanos now);

  boost::asio::steady_timer timer_;
  shared::EnginePage& page_;
  Setup setup_;
  bool watching_ = false;
  std::map<std::uint32_t, Progress> progress_; // by seat
};

} // namespace pegasus::daemon
