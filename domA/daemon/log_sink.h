// SPDX-License-Identifier: Apache-2.0
// Where log lines go: standard error, without ever waiting for its reader. A guest can cause lines, and a
// pipe with a blocked reader must not stop the scheduling. Any thread. Lines that do not fit are counted, and
// the count is written when there is room again.
#pragma once

#include "base/unique_fd.h"

#include <cstdint>
#include <mutex>
#include <spdlog/sinks/base_sink.h>
#include <string_view>

namespace pegasus::daemon {

class LogSink final : public spdlog::sinks::base_sink<std::mutex> {
public:
  explicit LogSink(int descriptor = 2);

private:
  void sink_it_(spdlog::details::log_msg const& message) override;
  void flush_() override {}
  [[nodiscard]] bool write_whole(std::string_view line);

  int descriptor_;        // as given
  base::UniqueFd opened_; // the same pipe or terminal, in a separate non-blocking description
  bool is_socket_ = false;
  std::uint64_t left_out_ = 0;
};

} // namespace pegasus::daemon
