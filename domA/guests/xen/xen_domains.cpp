// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/xen/xen_domains.h"

#include <boost/asio/post.hpp>
#include <fcntl.h>

namespace pegasus::xen {

using boost::system::error_code;

// Duplicated descriptors: asio closes these, the libraries close theirs.
XenDomains::XenDomains(boost::asio::io_context& io, std::unique_ptr<Guests> guests)
    : guests_(std::move(guests)), store_(io, fcntl(guests_->store_fd(), F_DUPFD_CLOEXEC, 0)),
      events_(io, fcntl(guests_->events_fd(), F_DUPFD_CLOEXEC, 0)), starts_(io) {
  serve(store_, &Guests::read_store);
  serve(events_, &Guests::read_events);
}

void XenDomains::stop() {
  error_code ignored;
  store_.close(ignored);
  events_.close(ignored);
  starts_.cancel();
  guests_->stop();
}

void XenDomains::serve(Descriptor& descriptor, bool (Guests::*read)()) {
  auto go_on = [this, &descriptor, read] {
    bool const more = (guests_.get()->*read)();
    start_waiting();
    if (more) // after the others have been served
      boost::asio::post(descriptor.get_executor(), [this, &descriptor, read] { serve(descriptor, read); });
    else
      serve(descriptor, read);
  };
  descriptor.async_wait(boost::asio::posix::descriptor_base::wait_read, [go_on](error_code error) {
    if (!error) go_on();
  });
}

void XenDomains::start_waiting() {
  auto const due = guests_->start_waiting(std::chrono::steady_clock::now());
  if (!due) return;
  starts_.expires_at(*due);
  starts_.async_wait([this](error_code error) {
    if (!error) start_waiting();
  });
}

} // namespace pegasus::xen
