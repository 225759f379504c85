// SPDX-License-Identifier: Apache-2.0
// Xen's guests in the daemon's loop.
#pragma once

#include "domA/xen/guests.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

namespace pegasus::daemon {

class XenDomains {
public:
  XenDomains(boost::asio::io_context& io, std::unique_ptr<xen::Guests> guests);
  void stop();
  [[nodiscard]] bool change(xen::Settings const& settings) { return guests_->change(settings); }

private:
  using Descriptor = boost::asio::posix::stream_descriptor;
  void serve(Descriptor& descriptor, bool (xen::Guests::*read)());
  void start_waiting();

  std::unique_ptr<xen::Guests> guests_;
  Descriptor store_;
  Descriptor events_;
  boost::asio::steady_timer starts_;
};

} // namespace pegasus::daemon
