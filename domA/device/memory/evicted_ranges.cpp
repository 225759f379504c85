// SPDX-License-Identifier: Apache-2.0
#include "domA/device/memory/evicted_ranges.h"

#include <utility>

namespace pegasus::memory {
namespace {

constexpr std::uint64_t batch_bytes = 4 << 20; // a multiple of every kind's granule

std::uint64_t bytes_of(std::vector<Ranges::Charged> const& pieces) {
  std::uint64_t bytes = 0;
  for (Ranges::Charged const& piece : pieces)
    bytes += piece.range.bytes;
  return bytes;
}

// Takes a piece that is no larger than a batch off the front of the range.
Ranges::Charged take_piece(Ranges::Charged& from) {
  Ranges::Charged piece = from;
  if (from.range.bytes > batch_bytes) {
    piece = {{from.range.base, batch_bytes}, batch_bytes};
    from = {{from.range.base + batch_bytes, from.range.bytes - batch_bytes}, from.charged - batch_bytes};
  } else {
    from = {};
  }
  return piece;
}

} // namespace

// What is not evicted, in batches.
std::vector<EvictedRanges::Pieces> EvictedRanges::left(Ranges const& ranges) const {
  device::Address const evicted_to = batches_.empty() ? 0 : batches_.back().pieces.back().range.base;
  std::vector<Pieces> batches;
  std::uint64_t room = 0;
  for (Ranges::Charged range : ranges.on_device())
    while (range.range.bytes > 0) {
      Ranges::Charged const piece = take_piece(range);
      if (piece.range.base <= evicted_to) continue;
      if (piece.range.bytes > room) {
        batches.emplace_back();
        room = batch_bytes;
      }
      batches.back().push_back(piece);
      room -= piece.range.bytes;
    }
  return batches;
}

EvictedRanges::Status EvictedRanges::evict(Ranges const& ranges, Backing& backing) {
  Status status = Status::success;
  for (Pieces const& pieces : left(ranges))
    if (status = evict(pieces, backing); status != Status::success) break;
  return status;
}

EvictedRanges::Status EvictedRanges::evict(Pieces const& pieces, Backing& backing) {
  Batch batch{.pieces = {}, .copy = base::ZeroedMemory(bytes_of(pieces))};
  auto to = batch.copy.bytes();
  if (to.empty()) return Status::out_of_memory;
  Status status = Status::success;
  for (auto piece = pieces.begin(); status == Status::success && piece != pieces.end(); ++piece) {
    status = backing.read(piece->range, to.first(piece->range.bytes));
    to = to.subspan(piece->range.bytes);
  }
  for (auto piece = pieces.begin(); status == Status::success && piece != pieces.end(); ++piece)
    if (status = backing.unmap(piece->range); status == Status::success) {
      batch.pieces.push_back(*piece);
      bytes_ += piece->charged;
    }
  if (!batch.pieces.empty()) batches_.push_back(std::move(batch));
  return status;
}

EvictedRanges::Status EvictedRanges::restore(Backing& backing) {
  for (; !batches_.empty(); batches_.pop_back())
    if (Status const status = restore(batches_.back(), backing); status != Status::success) return status;
  return Status::success;
}

EvictedRanges::Status EvictedRanges::restore(Batch& batch, Backing& backing) {
  std::uint64_t end = bytes_of(batch.pieces);
  for (; !batch.pieces.empty(); batch.pieces.pop_back()) {
    auto const& [range, charged] = batch.pieces.back();
    end -= range.bytes;
    Status status = backing.map(range);
    if (status == Status::success)
      status = backing.write(range, batch.copy.bytes().subspan(end, range.bytes));
    if (status != Status::success) return status;
    bytes_ -= charged;
  }
  return Status::success;
}

} // namespace pegasus::memory
