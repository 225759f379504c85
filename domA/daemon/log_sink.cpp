// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/log_sink.h"

#include <climits>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pegasus::daemon {

// O_NONBLOCK belongs to the open file description, which other processes share, for example a shell. A pipe
// or terminal is therefore opened again. A file is not, because the description also holds its write
// position; writes to it do not wait for a reader.
LogSink::LogSink(int descriptor) : descriptor_(descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return;
  is_socket_ = S_ISSOCK(status.st_mode);
  if (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode))
    opened_ = base::UniqueFd(open(fmt::format("/proc/self/fd/{}", descriptor).c_str(),
                                  O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

void LogSink::sink_it_(spdlog::details::log_msg const& message) {
  spdlog::memory_buf_t line;
  formatter_->format(message, line);
  if (left_out_ > 0 &&
      write_whole(fmt::format(
          "pegasusd: warning: {} lines were dropped: the reader of this log is too slow\n", left_out_)))
    left_out_ = 0;
  if (left_out_ > 0 || !write_whole({line.data(), line.size()})) ++left_out_;
}

// A pipe takes this much at once or nothing: pipe(7), PIPE_BUF.
bool LogSink::write_whole(std::string_view line) {
  line = line.substr(0, PIPE_BUF);
  ssize_t const length =
      is_socket_ ? send(descriptor_, line.data(), line.size(), MSG_DONTWAIT | MSG_NOSIGNAL)
                 : write(opened_.get() >= 0 ? opened_.get() : descriptor_, line.data(), line.size());
  return length == static_cast<ssize_t>(line.size());
}

} // namespace pegasus::daemon
