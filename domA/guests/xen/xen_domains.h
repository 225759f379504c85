// SPDX-License-Identifier: Apache-2.0
// Runs Xen's guests in the daemon's loop.
#pragma once

#include "domA/guests/xen/guests.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

namespace pegasus::xen {

class XenDomains {
public:
  XenDomains(boost::asio::io_context& io, std::unique_ptr<Guests> guests);
  void stop();
  [[nodiscard]] bool change(std::uint32_t guest, control::Settings const& settings) {
    return guests_->change(guest, settings);
  }

private:
  using Descriptor = boost::asio::posix::stream_descriptor;
  void serve(Descriptor& descriptor, bool (Guests::*read)());
  void start_waiting();

  std::unique_ptr<Guests> guests_;
  Descriptor store_;
  Descriptor events_;
  boost::asio::steady_timer starts_;
};

} // namespace pegasus::xen
