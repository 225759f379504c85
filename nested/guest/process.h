// SPDX-License-Identifier: Apache-2.0
// Processes of this guest, as its kernel knows them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace pegasus::nested {

// Stays the process that it was when it was opened: a later one with its number is another.
class Process {
public:
  virtual ~Process() = default;
  [[nodiscard]] virtual std::string name() const = 0; // its own choice, any bytes; empty if it cannot be seen
  [[nodiscard]] virtual bool uses_cuda() const = 0;   // false, too, if that cannot be seen
  // Returns false if it has ended or may not be signalled.
  virtual bool signal(int signal) = 0;
};

class Processes {
public:
  virtual ~Processes() = default;
  // nullptr and errno if there is none with that number.
  [[nodiscard]] virtual std::unique_ptr<Process> open(std::uint32_t number) = 0;
};

} // namespace pegasus::nested
