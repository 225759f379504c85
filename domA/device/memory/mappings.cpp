// SPDX-License-Identifier: Apache-2.0
#include "domA/device/memory/mappings.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace pegasus::memory {

using device::mapping_granule;
using device::Status;

namespace {

constexpr std::uint64_t host_page = 4096; // what reservations are multiples of (cuMemAddressReserve)

bool in_granules(device::Range range) {
  std::uint64_t end = 0;
  return range.base % mapping_granule == 0 && range.bytes % mapping_granule == 0 && range.bytes != 0 &&
         !__builtin_add_overflow(range.base, range.bytes, &end);
}

// Of a reservation, whose size does not overflow.
std::uint64_t whole_granules(std::uint64_t bytes) {
  return (bytes + mapping_granule - 1) / mapping_granule * mapping_granule;
}

} // namespace

// The program's. It must end before the Mappings that made it.
class Mappings::Handle final : public device::PhysicalMemory {
public:
  Handle(Mappings& owner, Id id) : owner_(owner), id_(id) {}
  ~Handle() override { owner_.let_go(id_); }
  Handle(Handle const&) = delete;
  Handle& operator=(Handle const&) = delete;

  [[nodiscard]] Id id_in(Mappings const& owner) const { return &owner == &owner_ ? id_ : 0; }

private:
  Mappings& owner_;
  Id id_;
};

Status Mappings::reserve(std::uint64_t bytes, std::uint64_t alignment, device::Address hint,
                         device::Address& base) {
  if (backing_.most_reserved() == 0) return Status::not_supported;
  if (bytes == 0 || bytes % host_page != 0 || hint % host_page != 0 ||
      (alignment != 0 && !std::has_single_bit(alignment)))
    return Status::invalid_value;
  if (reservations_.size() >= most_reservations || bytes > backing_.most_reserved())
    return Status::out_of_memory;
  std::uint64_t const taken = whole_granules(bytes);
  if (taken > backing_.most_reserved() - std::min(backing_.most_reserved(), reserved_bytes_))
    return Status::out_of_memory;
  alignment = std::max(alignment, mapping_granule);
  device::Address made = 0;
  if (Status const status = backing_.reserve_addresses(taken, alignment, hint, made);
      status != Status::success)
    return status;
  // No device that works gives an address that is not aligned, or where something is reserved already.
  auto const next = reservations_.lower_bound(made);
  bool const free_before = next == reservations_.begin() ||
                           made - std::prev(next)->first >= whole_granules(std::prev(next)->second);
  if (made == 0 || made % alignment != 0 || !in_granules({made, taken}) || !free_before ||
      (next != reservations_.end() && next->first - made < taken))
    return Status::unknown;
  reservations_.emplace(made, bytes);
  reserved_bytes_ += taken;
  base = made;
  return Status::success;
}

Status Mappings::free(device::Range range) {
  auto const found = reservations_.find(range.base);
  if (found == reservations_.end() || found->second != range.bytes) return Status::invalid_value;
  std::uint64_t const taken = whole_granules(range.bytes);
  if (overlaps({range.base, taken})) return Status::invalid_value;
  Status const status = backing_.free_addresses({range.base, taken});
  if (status == Status::success) {
    reservations_.erase(found);
    reserved_bytes_ -= taken;
  }
  return status;
}

Status Mappings::create(std::uint64_t bytes, std::unique_ptr<device::PhysicalMemory>& made) {
  if (backing_.most_reserved() == 0) return Status::not_supported;
  if (bytes == 0 || bytes % mapping_granule != 0) return Status::invalid_value;
  if (allocations_.size() >= most_allocations || !task_.reserve(bytes)) return Status::out_of_memory;
  Allocation allocation{.bytes = bytes};
  Status const status = backing_.create(bytes, allocation.memory);
  if (status == Status::success) {
    allocations_.emplace(++last_id_, allocation);
    task_.pin(bytes);
    made = std::make_unique<Handle>(*this, last_id_);
  }
  task_.give_back();
  return status;
}

Status Mappings::map(device::Range range, device::PhysicalMemory& memory) {
  auto const found = allocations_.find(static_cast<Handle&>(memory).id_in(*this));
  if (found == allocations_.end()) return Status::invalid_handle;
  auto& [id, allocation] = *found;
  if (!in_granules(range) || range.bytes > allocation.bytes || !reserved(range) || overlaps(range))
    return Status::invalid_value;
  if (allocation.mapped) return Status::not_supported;
  Status const status = backing_.map(range, allocation.memory);
  if (status != Status::success) return status;
  allocation.mapped = true;
  placed_.emplace(range.base, Mapping{.bytes = range.bytes, .of = id});
  return status;
}

Status Mappings::unmap(device::Range range) {
  if (!whole_mappings(range)) return Status::invalid_value;
  for (auto at = placed_.find(range.base); at != placed_.end() && at->first - range.base < range.bytes;) {
    auto const next = std::next(at);
    if (Status const status = unmap_one(at); status != Status::success) return status;
    at = next;
  }
  return Status::success;
}

Status Mappings::set_access(device::Range range, bool accessible) {
  if (!whole_mappings(range)) return Status::invalid_value;
  for (auto at = placed_.find(range.base); at != placed_.end() && at->first - range.base < range.bytes;
       ++at) {
    auto& [base, mapping] = *at;
    if (mapping.accessible == accessible) continue;
    Status const status = accessible ? give_access(base, mapping) : take_access(base, mapping);
    if (status != Status::success) return status;
  }
  return Status::success;
}

// Memory that cannot be zeroed is made inaccessible again; where that fails, too, kernels could read its last owner's
// data there.
Status Mappings::give_access(device::Address base, Mapping& mapping) {
  device::Range const piece{base, mapping.bytes};
  Allocation& allocation = allocations_.at(mapping.of);
  if (!enter(piece)) return Status::unknown;
  Status status = backing_.set_access(piece, true);
  if (status == Status::success && allocation.zeroed < piece.bytes) {
    status = backing_.zero({base + allocation.zeroed, piece.bytes - allocation.zeroed});
    if (status == Status::success)
      allocation.zeroed = piece.bytes;
    else if (backing_.set_access(piece, false) != Status::success)
      backing_.lose_task();
  }
  if (status == Status::success)
    mapping.accessible = true;
  else
    leave(piece);
  return status;
}

Status Mappings::take_access(device::Address base, Mapping& mapping) {
  device::Range const piece{base, mapping.bytes};
  Status const status = backing_.set_access(piece, false);
  if (status != Status::success) return status;
  mapping.accessible = false;
  leave(piece);
  return status;
}

Status Mappings::unmap_one(Placed::iterator at) {
  auto& [base, mapping] = *at;
  if (mapping.accessible)
    if (Status const status = take_access(base, mapping); status != Status::success) return status;
  Id const of = mapping.of;
  Allocation& allocation = allocations_.at(of);
  Status const status = backing_.unmap({base, mapping.bytes}, allocation.memory, allocation.held);
  if (status != Status::success) return status;
  placed_.erase(at);
  allocation.mapped = false;
  if (!allocation.held) destroy(of);
  return status;
}

// Joins it with its neighbours. What is accessible is charged by its range, so that it can be evicted; the rest is pinned.
bool Mappings::enter(device::Range piece) {
  if (!ranges_.add(piece, Owner::mapping, piece.bytes)) return false;
  task_.unpin(piece.bytes);
  device::Range joined = piece;
  device::Range const before = ranges_.containing(piece.base - 1);
  if (ranges_.of(before.base, Owner::mapping).bytes != 0) joined = {before.base, before.bytes + piece.bytes};
  joined.bytes += ranges_.of(piece.base + piece.bytes, Owner::mapping).bytes;
  if (joined.bytes == piece.bytes) return true;
  for (device::Address const base : {joined.base, piece.base, piece.base + piece.bytes})
    ranges_.remove(base, Owner::mapping);
  return ranges_.add(joined, Owner::mapping, joined.bytes);
}

void Mappings::leave(device::Range piece) {
  device::Range const joined = ranges_.containing(piece.base);
  ranges_.remove(joined.base, Owner::mapping);
  task_.pin(piece.bytes);
  device::Address const end = piece.base + piece.bytes;
  std::uint64_t const before = piece.base - joined.base, behind = joined.base + joined.bytes - end;
  // What is left was there before: it overlaps nothing.
  if (before != 0) (void)ranges_.add({joined.base, before}, Owner::mapping, before);
  if (behind != 0) (void)ranges_.add({end, behind}, Owner::mapping, behind);
}

bool Mappings::reserved(device::Range range) const {
  auto const behind = reservations_.upper_bound(range.base);
  if (behind == reservations_.begin()) return false;
  auto const [base, bytes] = *std::prev(behind);
  return range.base - base < bytes && range.bytes <= bytes - (range.base - base);
}

bool Mappings::overlaps(device::Range range) const {
  auto const behind = placed_.lower_bound(range.base + range.bytes);
  if (behind == placed_.begin()) return false;
  auto const& [base, last] = *std::prev(behind);
  return base + last.bytes > range.base;
}

bool Mappings::whole_mappings(device::Range range) const {
  if (!in_granules(range)) return false;
  device::Address reached = range.base;
  device::Address const end = range.base + range.bytes;
  for (auto at = placed_.find(range.base); reached < end; ++at) {
    if (at == placed_.end() || at->first != reached) return false;
    reached += at->second.bytes;
  }
  return reached == end;
}

void Mappings::let_go(Id id) {
  auto const found = allocations_.find(id);
  if (found == allocations_.end()) return;
  found->second.held = false;
  if (!found->second.mapped) destroy(id);
}

// What the device does not take back stays charged.
void Mappings::destroy(Id id) {
  auto const found = allocations_.find(id);
  Allocation const allocation = found->second;
  allocations_.erase(found);
  if (backing_.destroy(allocation.memory, allocation.bytes) != Status::success) return;
  task_.unpin(allocation.bytes);
  task_.give_back();
}

void Mappings::close() {
  for (auto& [id, allocation] : allocations_)
    allocation.held = false;
  while (!placed_.empty())
    if (auto const at = placed_.begin(); unmap_one(at) != Status::success) placed_.erase(at);
  while (!allocations_.empty())
    destroy(allocations_.begin()->first);
  for (auto const& [base, bytes] : reservations_)
    (void)backing_.free_addresses({base, whole_granules(bytes)});
  reservations_.clear();
  reserved_bytes_ = 0;
}

} // namespace pegasus::memory
