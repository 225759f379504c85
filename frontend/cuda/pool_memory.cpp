// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/pool_memory.h"

#include <algorithm>

namespace pegasus::driver {

void PoolMemory::use(std::uint64_t base, std::uint64_t bytes) {
  used_.emplace(base, bytes);
  used_bytes_ += bytes;
  used_high_ = std::max(used_high_, used_bytes_);
}

void PoolMemory::add(std::uint64_t base, std::uint64_t bytes) {
  use(base, bytes);
  reserved_ += bytes;
  reserved_high_ = std::max(reserved_high_, reserved_);
}

std::optional<std::uint64_t> PoolMemory::reuse(std::uint64_t stream, std::uint64_t bytes) {
  auto const found = kept_.lower_bound({stream, bytes, 0});
  if (found == kept_.end() || found->stream != stream || found->bytes - bytes > bytes / most_waste)
    return std::nullopt;
  Block const block = *found;
  kept_.erase(found);
  use(block.base, block.bytes);
  return block.base;
}

bool PoolMemory::keep(std::uint64_t base, std::uint64_t stream) {
  auto const found = used_.find(base);
  if (found == used_.end()) return false;
  kept_.insert({stream, found->second, base});
  used_bytes_ -= found->second;
  used_.erase(found);
  return true;
}

void PoolMemory::end(std::uint64_t stream) {
  for (auto at = kept_.lower_bound({stream, 0, 0}); at != kept_.end() && at->stream == stream;
       at = kept_.erase(at))
    kept_.insert({ended, at->bytes, at->base});
}

void PoolMemory::remove(std::uint64_t base) {
  auto const found = used_.find(base);
  if (found == used_.end()) return;
  used_bytes_ -= found->second;
  reserved_ -= found->second;
  used_.erase(found);
}

std::vector<PoolMemory::Block> PoolMemory::take_kept(std::uint64_t reserved,
                                                     std::optional<std::uint64_t> stream) {
  auto const of_stream = [&](Block const& block) { return !stream || block.stream == *stream; };
  auto const first = stream ? kept_.lower_bound({*stream, 0, 0}) : kept_.begin();
  std::vector<Block> const candidates(first, std::find_if_not(first, kept_.end(), of_stream));
  std::vector<Block> taken;
  for (auto block = candidates.rbegin(); block != candidates.rend() && reserved_ > reserved; ++block) {
    taken.push_back(*block);
    kept_.erase(*block);
    reserved_ -= block->bytes;
  }
  return taken;
}

} // namespace pegasus::driver
