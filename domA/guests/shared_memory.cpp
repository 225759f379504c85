// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/shared_memory.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

namespace pegasus::guests {
namespace {

std::string failure(char const* what) { return fmt::format("{}: {}", what, std::strerror(errno)); }

tl::expected<base::UniqueFd, std::string> make_file(char const* name, std::size_t bytes) {
  base::UniqueFd file(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file.get() < 0 || ftruncate(file.get(), static_cast<off_t>(bytes)) != 0)
    return tl::unexpected(failure("cannot make shared memory"));
  return file;
}

tl::expected<void, std::string> seal(base::UniqueFd const& file, int more = 0) {
  if (fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL | more) == 0) return {};
  return tl::unexpected(failure("cannot seal shared memory"));
}

} // namespace

tl::expected<base::UniqueFd, std::string> sealed_file(char const* name, std::size_t bytes) {
  auto file = make_file(name, bytes);
  if (!file) return file;
  return seal(*file).map([&] { return std::move(*file); });
}

tl::expected<SharedMemory, std::string> SharedMemory::create(char const* name, std::size_t bytes,
                                                             Others others) {
  auto file = make_file(name, bytes);
  if (!file) return tl::unexpected(file.error());
  SharedMemory memory;
  memory.fd_ = std::move(*file);
  void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory.fd(), 0);
  if (pages == MAP_FAILED) return tl::unexpected(failure("cannot map shared memory"));
  memory.data_ = static_cast<std::byte*>(pages);
  memory.bytes_ = bytes;
  // The mapping above stays writable.
  auto const sealed = seal(memory.fd_, others == Others::read_only ? F_SEAL_FUTURE_WRITE : 0);
  if (!sealed) return tl::unexpected(sealed.error());
  return memory;
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : fd_(std::move(other.fd_)), data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

tl::expected<base::UniqueFd, std::string> SharedMemory::read_only() const {
  base::UniqueFd opened(open(fmt::format("/proc/self/fd/{}", fd()).c_str(), O_RDONLY | O_CLOEXEC));
  if (opened.get() < 0) return tl::unexpected(failure("cannot reopen shared memory for reading"));
  return opened;
}

} // namespace pegasus::guests
