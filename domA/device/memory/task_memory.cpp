// SPDX-License-Identifier: Apache-2.0
#include "domA/device/memory/task_memory.h"

#include <algorithm>

namespace pegasus::memory {

using device::Status;

namespace {

// false: so many bytes are nowhere.
bool round_up(std::uint64_t bytes, std::uint64_t granule, std::uint64_t& rounded) {
  if (__builtin_add_overflow(bytes, granule - 1, &rounded)) return false;
  rounded -= rounded % granule;
  return true;
}

} // namespace

Status TaskMemory::allocate(std::uint64_t bytes, device::Address& address) {
  std::uint64_t charged = 0;
  if (!round_up(bytes, backing_.granule(), charged)) return Status::out_of_memory;
  return allocate(bytes, charged, Place::device, &Backing::reserve, address);
}

Status TaskMemory::allocate_host(std::uint64_t bytes, device::HostMemory kind, device::Address& address) {
  std::uint64_t pages = 0;
  if (!round_up(bytes, device::HostWindow::granule, pages)) return Status::out_of_memory;
  std::uint64_t const charged = kind == device::HostMemory::managed ? pages : 0;
  return allocate(bytes, charged, Place::host, &Backing::reserve_host, address);
}

Status TaskMemory::allocate(std::uint64_t bytes, std::uint64_t charged, Place place,
                            Reserve reserve_addresses, device::Address& address) {
  if (bytes == 0) return Status::invalid_value;
  if (!reserve(charged)) return Status::out_of_memory;
  device::Range range{0, bytes};
  Status status = (backing_.*reserve_addresses)(bytes, range.base);
  if (status == Status::success) status = back(range, charged, place);
  if (status == Status::success)
    address = range.base;
  else
    give_back();
  return status;
}

// A range that overlaps another one is not released: it may be the program's own already. Memory that could not be
// zeroed is released; where that fails, too, kernels could read its last owner's data there.
Status TaskMemory::back(device::Range range, std::uint64_t charged, Place place) {
  if (!ranges_.add(range, Owner::program, charged, place)) return Status::unknown;
  Status const status = backing_.map(range);
  if (status == Status::success) return status;
  ranges_.remove(range.base, Owner::program);
  if (backing_.release(range) != Status::success) {
    pin(charged);
    backing_.lose_task();
  }
  return status;
}

Status TaskMemory::free(device::Address address) {
  if (address == 0) return Status::success;
  device::Range const range = ranges_.of(address, Owner::program);
  if (range.bytes == 0) return Status::invalid_value;
  Status status = backing_.unmap(range);
  if (status == Status::success) status = backing_.release(range);
  if (status == Status::success) {
    ranges_.remove(address, Owner::program);
    give_back();
  }
  return status;
}

Status TaskMemory::info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) {
  Room room;
  if (Status const status = backing_.room(room); status != Status::success) return status;
  total_bytes = std::min(room.total_bytes, quota_.total_bytes());
  std::uint64_t const others_left = room.total_bytes - std::min(room.total_bytes, used());
  free_bytes = std::min({quota_.told_free_bytes(room.free_bytes), others_left, total_bytes});
  return Status::success;
}

Status TaskMemory::range(device::Address address, device::Range& range) const {
  device::Range const found = ranges_.containing(address);
  if (found.bytes == 0) return Status::not_found;
  range = found;
  return Status::success;
}

Status TaskMemory::evict() {
  Status const status = evicted_.evict(ranges_, backing_);
  if (status != Status::success && evicted_.restore(backing_) != Status::success) backing_.lose_task();
  give_back();
  return status;
}

Status TaskMemory::restore() {
  if (!reserve(evicted_.bytes())) return Status::out_of_memory;
  Status const status = evicted_.restore(backing_);
  give_back(); // what could not be restored
  return status;
}

std::string TaskMemory::refusal(std::uint64_t bytes) {
  std::string why = refusal_told_ ? std::string() : quota_.why_refused(bytes);
  refusal_told_ = refusal_told_ || !why.empty();
  return why;
}

bool TaskMemory::reserve(std::uint64_t more) {
  std::uint64_t with = 0;
  return !__builtin_add_overflow(used(), more, &with) && account_.charge(with);
}

} // namespace pegasus::memory
