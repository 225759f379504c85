// SPDX-License-Identifier: Apache-2.0
// Processes by their pidfds and /proc.
#pragma once

#include "nested/guest/process.h"

namespace pegasus::nested {

class LinuxProcesses final : public Processes {
public:
  [[nodiscard]] std::unique_ptr<Process> open(std::uint32_t number) override;
};

} // namespace pegasus::nested
