// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/task_state.h"

#include <fmt/format.h>

namespace pegasus::software {
namespace {

constexpr std::size_t max_diagnostic_bytes = 64 * 1024;

} // namespace

void TaskState::diagnose(std::string_view text) {
  output_.add(OutputBuffer::Kind::diagnostic, fmt::format("pegasus: {}\n", text), max_diagnostic_bytes);
}

void TaskState::print(std::string_view text, std::uint64_t max_bytes) {
  output_.add(OutputBuffer::Kind::printf_text, text, max_bytes);
}

} // namespace pegasus::software
