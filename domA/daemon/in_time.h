// SPDX-License-Identifier: Apache-2.0
// Workers obey when their task has stopped, which may take as long as a kernel; an operator does not wait as long.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <utility>

namespace pegasus::daemon {

constexpr std::chrono::seconds longest_answer{2}; // less than a client waits for its reply

// Returns what may be called at any time, on the loop of `io`: it calls `then` once, with its argument, or with `late` if
// it has not been called in time.
template <class Result>
std::function<void(Result const&)> in_time(boost::asio::io_context& io,
                                           std::function<void(Result const&)> then, Result late) {
  struct Asker {
    boost::asio::steady_timer timer;
    std::function<void(Result const&)> then;
    void tell(Result const& result) {
      timer.cancel();
      if (then) std::exchange(then, nullptr)(result);
    }
  };
  auto const asker =
      std::make_shared<Asker>(Asker{boost::asio::steady_timer(io, longest_answer), std::move(then)});
  asker->timer.async_wait([asker, late = std::move(late)](boost::system::error_code error) {
    if (!error) asker->tell(late);
  });
  return [asker](Result const& result) { asker->tell(result); };
}

} // namespace pegasus::daemon
