// SPDX-License-Identifier: Apache-2.0
// Looks once a second whether somebody holds the software accelerator's engine for too long while other
// domains wait. The scheduler notices that only where a turn has to end; under a shared policy no turn does.
#pragma once

#include "domA/device/software/engine.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>

namespace pegasus::daemon {

class EngineWatch {
public:
  struct Setup {
    std::chrono::nanoseconds limit; // how long the engine may be held while strangers wait for it
    std::function<bool(std::uint32_t seat, std::uint32_t other)> strangers; // of different domains
    std::function<void(std::uint32_t seat)> give_up;                        // of whoever held it for longer
  };
  EngineWatch(boost::asio::io_context& io, software::EnginePage& page, Setup setup);
  // Watches only while `tasks` could disturb each other: an idle daemon sleeps.
  void tasks_changed(std::size_t tasks);

private:
  static constexpr std::chrono::seconds period{1};
  void look_later();
  void look();
  [[nodiscard]] bool strangers_wait(std::uint32_t holder) const;

  boost::asio::steady_timer timer_;
  software::EnginePage& page_;
  Setup setup_;
  bool watching_ = false;
  std::uint32_t holder_ = software::no_seat; // at the last look
  std::chrono::nanoseconds holder_since_{0}; // by the engine's word at the last look
  std::chrono::nanoseconds first_seen_{0};   // when this hold was first looked at
};

} // namespace pegasus::daemon
