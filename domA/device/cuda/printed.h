// SPDX-License-Identifier: Apache-2.0
// What kernels print. The driver writes it to this process's standard output when it synchronizes; that is a
// file in memory, which is read and emptied here.
#pragma once

#include <cstddef>
#include <string>

namespace pegasus::cuda {

class Printed {
public:
  explicit Printed(int fd) : fd_(fd) {} // -1: nothing is kept
  // Moves what was printed since here. At most `limit` bytes are kept, the oldest; the rest is lost, as in
  // CUDA's own buffer.
  void fetch(std::size_t limit);
  [[nodiscard]] std::string take(std::size_t bytes);
  [[nodiscard]] bool pending() const { return !text_.empty(); }

private:
  int fd_;
  std::string text_;
};

} // namespace pegasus::cuda
