// SPDX-License-Identifier: Apache-2.0
// What a worker writes to its standard output and error, line by line, for the log. Read ten times a second
// at most, some kilobytes each time: a worker that writes more waits by itself. Its lines are cut to a
// length.
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

  // `fd`: the pipe's end, non-blocking; taken over.
  static std::shared_ptr<WorkerLines> follow(boost::asio::io_context& io, int fd, Take take);
  // The worker is gone: what it said last, and no more.
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
