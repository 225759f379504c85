// SPDX-License-Identifier: Apache-2.0
// What gpu_facts prints, one line each, with tabs between the fields:
//
//   fact    PART  WHAT  VALUE  UNIT
//   note    PART  TEXT
//   failed  PART  TEXT
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace pegasus::facts {

void begin_part(std::string_view name); // the part that all later lines of this process belong to
void fact(std::string_view what, double value, std::string_view unit);
void note(std::string_view text);
void failed(std::string_view text);

// Microseconds since the first call.
[[nodiscard]] double now_us();

} // namespace pegasus::facts
