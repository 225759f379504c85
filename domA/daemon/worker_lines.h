// SPDX-License-Identifier: Apache-2.0
// A worker's standard output and error, line by line, for the log. Read at most ten times a second, some
// kilobytes each time: a worker that writes more blocks itself. Lines are cut to a maximum length.
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace pegasus::daemon {

class WorkerLines : public std::enable_shared_from_this<WorkerLines> {
public:
  using Take = std::function<void(std::string_view line)>;

  // `fd`: the read end of the pipe, which this takes over; made non-blocking.
  static std::shared_ptr<WorkerLines> follow(boost::asio::io_context& io, int fd, Take take);
  // The worker is gone: takes its last output and stops.
  void finish();

private:
  WorkerLines(boost::asio::io_context& io, int fd, Take take)
      : pipe_(io, fd), pause_(io), take_(std::move(take)) {}
  void read_more();
  void pause();
  void add(std::string_view text);
  void end_line();

  static constexpr std::size_t longest = 500;
  static constexpr std::chrono::milliseconds between_reads{100};

  boost::asio::posix::stream_descriptor pipe_;
  boost::asio::steady_timer pause_;
  Take take_; // null: finished
  std::array<char, 4096> buffer_{};
  std::string line_;
};

} // namespace pegasus::daemon
