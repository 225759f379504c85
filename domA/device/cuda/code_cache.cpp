// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/code_cache.h"

#include <atomic>
#include <cstring>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace pegasus::cuda {
namespace {

constexpr std::uint64_t alignment = 64; // entries begin at multiples of this

struct Key {
  std::uint64_t low, high;
  bool operator==(Key const&) const = default;
};

// At the begin of the pages.
struct alignas(alignment) Head {
  std::atomic<std::uint64_t> used; // bytes behind the head
};

// Followed by the code. `bytes` is written first, so that others can pass an entry that is being written.
struct alignas(alignment) Entry {
  std::atomic<std::uint64_t> bytes; // of the entry; 0: no more entries
  std::atomic<std::uint64_t> code_bytes;
  std::atomic<std::uint64_t> low, high; // its key
  std::atomic<std::uint64_t> checksum;  // of the code
  std::atomic<std::uint64_t> complete;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

Key key_of(CodeCache::Source const& source) {
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  XXH3_128bits_update(&state, &source.compute_capability, sizeof source.compute_capability);
  XXH3_128bits_update(&state, &source.driver_version, sizeof source.driver_version);
  XXH3_128bits_update(&state, source.image.data(), source.image.size());
  XXH128_hash_t const hash = XXH3_128bits_digest(&state);
  return {hash.low64, hash.high64};
}

std::uint64_t checksum_of(std::span<std::byte const> code) { return XXH3_64bits(code.data(), code.size()); }

constexpr std::uint64_t rounded_up(std::uint64_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

std::span<std::byte> behind_head(std::span<std::byte> shared) {
  return shared.size() < sizeof(Head) ? std::span<std::byte>{} : shared.subspan(sizeof(Head));
}

Entry& entry_at(std::span<std::byte> entries, std::uint64_t offset) {
  return *reinterpret_cast<Entry*>(entries.data() + offset);
}

// nullopt: what it holds is not what was written there once.
std::optional<std::vector<std::byte>> code_of(std::span<std::byte> entries, std::uint64_t offset,
                                              std::uint64_t bytes) {
  Entry const& entry = entry_at(entries, offset);
  std::uint64_t const code_bytes = entry.code_bytes.load(std::memory_order_relaxed);
  if (code_bytes == 0 || code_bytes > bytes - sizeof(Entry)) return std::nullopt;
  std::vector<std::byte> code(code_bytes);
  std::memcpy(code.data(), entries.data() + offset + sizeof(Entry), code_bytes);
  if (checksum_of(code) != entry.checksum.load(std::memory_order_relaxed)) return std::nullopt;
  return code;
}

} // namespace

std::optional<std::vector<std::byte>> CodeCache::find(Source const& source) const {
  Key const wanted = key_of(source);
  std::span<std::byte> const entries = behind_head(shared_);
  for (std::uint64_t offset = 0; offset + sizeof(Entry) <= entries.size();) {
    Entry const& entry = entry_at(entries, offset);
    std::uint64_t const bytes = entry.bytes.load(std::memory_order_acquire);
    if (bytes < sizeof(Entry) || bytes % alignment != 0 || bytes > entries.size() - offset) break;
    if (entry.complete.load(std::memory_order_acquire) != 0 &&
        Key{entry.low.load(std::memory_order_relaxed), entry.high.load(std::memory_order_relaxed)} == wanted)
      if (auto code = code_of(entries, offset, bytes)) return code;
    offset += bytes;
  }
  return std::nullopt;
}

void CodeCache::add(Source const& source, std::span<std::byte const> code) {
  std::span<std::byte> const entries = behind_head(shared_);
  if (code.empty() || code.size() > entries.size()) return;
  std::uint64_t const bytes = sizeof(Entry) + rounded_up(code.size());
  auto& used = reinterpret_cast<Head*>(shared_.data())->used;
  std::uint64_t offset = used.load(std::memory_order_relaxed);
  do {
    if (offset % alignment != 0 || offset > entries.size() || bytes > entries.size() - offset) return;
  } while (!used.compare_exchange_weak(offset, offset + bytes, std::memory_order_relaxed));
  Entry& entry = entry_at(entries, offset);
  entry.bytes.store(bytes, std::memory_order_release);
  Key const key = key_of(source);
  entry.code_bytes.store(code.size(), std::memory_order_relaxed);
  entry.low.store(key.low, std::memory_order_relaxed);
  entry.high.store(key.high, std::memory_order_relaxed);
  entry.checksum.store(checksum_of(code), std::memory_order_relaxed);
  std::memcpy(entries.data() + offset + sizeof(Entry), code.data(), code.size());
  entry.complete.store(1, std::memory_order_release);
}

} // namespace pegasus::cuda
