// SPDX-License-Identifier: Apache-2.0
// Anonymous shared pages that pegasusd makes, maps and passes to others by descriptor. They are sealed: no
// process can shrink them while another has them mapped.
#pragma once

#include "base/unique_fd.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <tl/expected.hpp>

namespace pegasus::guests {

// A file of so many bytes of memory, which can neither shrink nor grow. The error is a message with errno's text.
[[nodiscard]] tl::expected<base::UniqueFd, std::string> sealed_file(char const* name, std::size_t bytes);

class SharedMemory {
public:
  enum class Others { may_write, read_only }; // that have the descriptor
  // Zeroed. The error is a message with errno's text.
  [[nodiscard]] static tl::expected<SharedMemory, std::string> create(char const* name, std::size_t bytes,
                                                                      Others others = Others::may_write);
  SharedMemory() = default;
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory();

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return bytes_; }
  [[nodiscard]] int fd() const { return fd_.get(); }
  template <class T> [[nodiscard]] T& as() const { return *reinterpret_cast<T*>(data_); }
  // A second descriptor of the same pages that can only be mapped for reading.
  [[nodiscard]] tl::expected<base::UniqueFd, std::string> read_only() const;

private:
  base::UniqueFd fd_;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

} // namespace pegasus::guests
