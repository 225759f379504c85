// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/engine_watch.h"

#include <algorithm>

namespace pegasus::daemon {

EngineWatch::EngineWatch(boost::asio::io_context& io, software::EnginePage& page, Setup setup)
    : timer_(io), page_(page), setup_(std::move(setup)) {}

void EngineWatch::tasks_changed(std::size_t tasks) {
  bool const wanted = tasks > 1;
  if (wanted == watching_) return;
  watching_ = wanted;
  if (wanted)
    look_later();
  else
    timer_.cancel();
}

void EngineWatch::look_later() {
  timer_.expires_after(period);
  timer_.async_wait([this](boost::system::error_code error) {
    if (!error) look();
  });
}

void EngineWatch::look() {
  std::uint32_t const holder = software::owner(page_);
  std::chrono::nanoseconds const since = software::busy_since(page_);
  // The engine's times are CLOCK_MONOTONIC, which is steady_clock.
  std::chrono::nanoseconds const now = std::chrono::steady_clock::now().time_since_epoch();
  if (holder != holder_ || since != holder_since_) {
    holder_ = holder;
    holder_since_ = since;
    first_seen_ = now;
  }
  // A seat that was given the engine and never took it (since 0) may be one that a hostile worker made up.
  std::chrono::nanoseconds const held = now - (since.count() > 0 ? since : first_seen_);
  if (holder != software::no_seat && held > setup_.limit && strangers_wait(holder)) setup_.give_up(holder);
  if (watching_) look_later();
}

bool EngineWatch::strangers_wait(std::uint32_t holder) const {
  for (std::uint32_t seat = 0; seat < software::EnginePage::seats; ++seat)
    if ((page_.waiting[seat / 64].load() >> (seat % 64) & 1) != 0 && setup_.strangers(holder, seat))
      return true;
  return false;
}

} // namespace pegasus::daemon
