// SPDX-License-Identifier: Apache-2.0
// Looks once a second whether somebody executes for too long while other domains wait. The scheduler notices
// that only where a turn has to end; under a shared policy no turn does.
//
// Who is to blame is read from each worker's own page, which no other worker can write: a worker in its
// guest's hands can have itself killed by it, and nobody else. The engine's page, which all of them write,
// decides nothing. Where workers wait and nobody says that he executes, that page is nonsense, or somebody
// lies: then the engine is taken from whom it names, which harms nobody who is not on it.
#pragma once

#include "domA/device/software/engine.h"
#include "domA/gate/pages.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <vector>

namespace pegasus::daemon {

class EngineWatch {
public:
  using Time = std::chrono::nanoseconds; // CLOCK_MONOTONIC, which is steady_clock
  struct Task {
    std::uint32_t seat;
    std::uint32_t domain;
    gate::UsagePage const* usage;
  };
  struct Setup {
    Time limit; // how long one may execute while others wait for it
    std::function<std::vector<Task>()> tasks;
    std::function<void(std::uint32_t seat)> give_up; // who executes for longer
    std::chrono::milliseconds period{1000};
  };
  EngineWatch(boost::asio::io_context& io, software::EnginePage& page, Setup setup);
  // Watches only while `tasks` could disturb each other: an idle daemon sleeps.
  void tasks_changed(std::size_t tasks);

private:
  struct Progress {
    std::uint64_t done; // calls and device time, by its own word
    Time since;         // that it is so
  };
  void look_later();
  void look();
  // How long it has been at its call without a sign of progress; 0: it is not.
  [[nodiscard]] Time stuck(Task const& task, Time now);

  boost::asio::steady_timer timer_;
  software::EnginePage& page_;
  Setup setup_;
  bool watching_ = false;
  std::map<std::uint32_t, Progress> progress_; // by seat
};

} // namespace pegasus::daemon
