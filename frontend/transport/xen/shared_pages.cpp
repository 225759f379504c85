// SPDX-License-Identifier: Apache-2.0
#include "frontend/transport/xen/shared_pages.h"

#include "frontend/protocol/xen.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xen/gntalloc.h>

namespace pegasus::frontend {

bool SharedPages::share(std::size_t pages, std::uint16_t with_domain) {
  file_ = open("/dev/xen/gntalloc", O_RDWR | O_CLOEXEC);
  if (file_ < 0) return false;
  // The ioctl's struct ends in an array with one reference a page.
  std::vector<std::uint64_t> buffer(sizeof(ioctl_gntalloc_alloc_gref) / 8 + pages / 2 + 1);
  auto& request = *reinterpret_cast<ioctl_gntalloc_alloc_gref*>(buffer.data());
  request.domid = with_domain;
  request.flags = GNTALLOC_FLAG_WRITABLE;
  request.count = static_cast<std::uint32_t>(pages);
  bool const granted = ioctl(file_, IOCTL_GNTALLOC_ALLOC_GREF, &request) == 0;
  void* const mapped = granted ? mmap(nullptr, pages * PEGASUS_XEN_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
                                      file_, static_cast<off_t>(request.index))
                               : MAP_FAILED;
  if (mapped == MAP_FAILED) {
    int const reason = errno;
    release();
    errno = reason;
    return false;
  }
  data_ = static_cast<std::byte*>(mapped);
  index_ = request.index;
  references_.resize(pages);
  std::memcpy(references_.data(), request.gref_ids, pages * sizeof references_[0]);
  (void)madvise(data_, pages * PEGASUS_XEN_PAGE, MADV_DONTFORK);
  return true;
}

bool SharedPages::tell_when_gone(std::size_t offset, std::uint32_t port) {
  ioctl_gntalloc_unmap_notify notify{};
  notify.index = index_ + offset;
  notify.action = UNMAP_NOTIFY_CLEAR_BYTE | UNMAP_NOTIFY_SEND_EVENT;
  notify.event_channel_port = port;
  return ioctl(file_, IOCTL_GNTALLOC_SET_UNMAP_NOTIFY, &notify) == 0;
}

void SharedPages::release() {
  if (kept_) return;
  if (data_ != nullptr) munmap(data_, references_.size() * PEGASUS_XEN_PAGE);
  if (file_ >= 0) close(file_);
  data_ = nullptr;
  file_ = -1;
}

} // namespace pegasus::frontend
