// SPDX-License-Identifier: Apache-2.0
// Anonymous shared pages that pegasusd makes, maps and passes to others by descriptor. They are sealed: no
// process can shrink them while another has them mapped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace pegasus::guests {

class UniqueFd {
public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~UniqueFd();
  [[nodiscard]] int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

private:
  int fd_ = -1;
};

class SharedMemory {
public:
  // Zeroed. The error is a message with errno's text.
  [[nodiscard]] static tl::expected<SharedMemory, std::string> create(char const* name, std::size_t bytes);
  SharedMemory() = default;
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory();

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return bytes_; }
  [[nodiscard]] int fd() const { return fd_.get(); }
  template <class T> [[nodiscard]] T& as() const { return *reinterpret_cast<T*>(data_); }
  // A second descriptor of the same pages that can only be mapped for reading.
  [[nodiscard]] tl::expected<UniqueFd, std::string> read_only() const;

private:
  UniqueFd fd_;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

} // namespace pegasus::guests
