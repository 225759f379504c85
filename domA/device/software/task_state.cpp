// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/task_state.h"

#include <fmt/format.h>

namespace pegasus::software {
namespace {

constexpr std::size_t diagnostic_bytes_max = 64 * 1024;

} // namespace

void TaskState::diagnose(std::string_view text) {
  output_.add(OutputBuffer::Kind::diagnostic, fmt::format("pegasus: {}\n", text), diagnostic_bytes_max);
}

void TaskState::print(std::string_view text, std::uint64_t most_bytes) {
  output_.add(OutputBuffer::Kind::printf_text, text, most_bytes);
}

} // namespace pegasus::software
