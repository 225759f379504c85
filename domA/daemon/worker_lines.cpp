// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/worker_lines.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <utility>

namespace pegasus::daemon {

std::shared_ptr<WorkerLines> WorkerLines::follow(boost::asio::io_context& io, int fd, Take take) {
  std::shared_ptr<WorkerLines> lines(new WorkerLines(io, fd, std::move(take)));
  lines->pipe_.non_blocking(true);
  lines->read_more();
  return lines;
}

void WorkerLines::read_more() {
  pipe_.async_read_some(
      boost::asio::buffer(buffer_),
      [this, self = shared_from_this()](boost::system::error_code error, std::size_t bytes) {
        if (error || take_ == nullptr) return;
        add({buffer_.data(), bytes});
        pause();
      });
}

void WorkerLines::pause() {
  pause_.expires_after(between_reads);
  pause_.async_wait([this, self = shared_from_this()](boost::system::error_code error) {
    if (!error && take_ != nullptr) read_more();
  });
}

void WorkerLines::add(std::string_view text) {
  for (char const byte : text)
    if (byte == '\n')
      end_line();
    else if (line_.size() < longest)
      line_ += byte >= ' ' && byte <= '~' ? byte : '?'; // a guest may have taken over the worker
}

void WorkerLines::end_line() {
  if (!line_.empty()) take_(line_);
  line_.clear();
}

void WorkerLines::finish() {
  constexpr int max_reads = 16; // what a pipe holds; another process may also have its write end
  boost::system::error_code error;
  for (int i = 0; i < max_reads && !error; ++i) {
    std::size_t const bytes = pipe_.read_some(boost::asio::buffer(buffer_), error);
    add({buffer_.data(), error ? 0 : bytes});
  }
  end_line();
  take_ = nullptr;
  pause_.cancel();
  pipe_.close(error);
}

} // namespace pegasus::daemon
