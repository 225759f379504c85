// SPDX-License-Identifier: Apache-2.0
// Looks once a second whether somebody holds the software accelerator's engine for too long while others
// wait. The scheduler notices that only where a turn has to end; under a shared policy no turn does.
#pragma once

#include "domA/device/software/engine.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>

namespace pegasus::daemon {

class EngineWatch {
public:
  // `give_up` is called with the seat of whoever held the engine for longer than `limit`.
  EngineWatch(boost::asio::io_context& io, software::EnginePage& page, std::chrono::nanoseconds limit,
              std::function<void(std::uint32_t)> give_up);
  // Watches only while `tasks` could disturb each other: an idle daemon sleeps.
  void tasks_changed(std::size_t tasks);

private:
  static constexpr std::chrono::seconds period{1};
  void look_later();
  void look();

  boost::asio::steady_timer timer_;
  software::EnginePage& page_;
  std::chrono::nanoseconds limit_;
  std::function<void(std::uint32_t)> give_up_;
  bool watching_ = false;
  std::uint32_t holder_ = software::no_seat; // at the last look
  std::chrono::nanoseconds holder_since_{0}; // by the engine's word at the last look
  std::chrono::nanoseconds first_seen_{0};   // when this hold was first looked at
};

} // namespace pegasus::daemon
