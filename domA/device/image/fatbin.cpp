// SPDX-License-Identifier: Apache-2.0
#include "domA/device/image/fatbin.h"

#include "domA/device/image/bytes.h"

#include <fmt/core.h>

namespace pegasus::image {
namespace {

constexpr std::size_t header_bytes = 16;
constexpr std::size_t min_entry_header = 64;
constexpr std::uint16_t kind_ptx = 1;
constexpr std::uint16_t kind_cubin = 2;
constexpr std::uint64_t flag_lz4 = 0x2000;
constexpr std::uint64_t flag_zstd = 0x8000;
constexpr std::uint64_t flag_architecture_specific = 0x100000; // sm_90a
constexpr std::uint64_t flag_family_specific = 0x200000;       // sm_100f

struct Entry {
  std::uint16_t kind;
  std::uint32_t architecture;
  std::uint32_t compressed_bytes;
  std::uint64_t flags;
  std::uint64_t plain_bytes;
  std::span<std::byte const> payload;
};

tl::unexpected<Failure> damaged_fatbin(std::string what) {
  return tl::unexpected(
      Failure{device::Status::invalid_image, fmt::format("the fatbin is damaged: {}", what)});
}

// Takes the entry at the front of `rest`, and removes it from `rest`.
tl::expected<Entry, Failure> take_entry(std::span<std::byte const>& rest) {
  if (rest.size() < min_entry_header)
    return damaged_fatbin(fmt::format("an entry has only {} bytes", rest.size()));
  auto const own_bytes = read<std::uint32_t>(rest, 4);
  auto const payload_bytes = read<std::uint64_t>(rest, 8);
  if (own_bytes < min_entry_header || own_bytes > rest.size() || payload_bytes > rest.size() - own_bytes)
    return damaged_fatbin(fmt::format("an entry of {} + {} bytes exceeds the {} that are left", own_bytes,
                                      payload_bytes, rest.size()));
  Entry const entry{read<std::uint16_t>(rest, 0),    read<std::uint32_t>(rest, 0x1c),
                    read<std::uint32_t>(rest, 0x10), read<std::uint64_t>(rest, 0x28),
                    read<std::uint64_t>(rest, 0x38), rest.subspan(own_bytes, payload_bytes)};
  rest = rest.subspan(own_bytes + payload_bytes);
  return entry;
}

void note(Entry const& entry, Architectures& found) {
  char const* const suffix = (entry.flags & flag_architecture_specific) != 0 ? "a"
                             : (entry.flags & flag_family_specific) != 0     ? "f"
                                                                             : "";
  constexpr std::size_t max_noted = 64; // of each kind, of a container with thousands of invented entries
  auto& names = entry.kind == kind_ptx ? found.ptx : entry.kind == kind_cubin ? found.machine : found.other;
  if (names.size() >= max_noted) return;
  if (entry.kind == kind_ptx)
    names.insert(fmt::format("compute_{}{}", entry.architecture, suffix));
  else if (entry.kind == kind_cubin)
    names.insert(fmt::format("sm_{}{}", entry.architecture, suffix));
  else
    names.insert("code of another kind (such as nvcc -dlto makes)");
}

bool usable(Entry const& entry, std::uint32_t compute_capability) {
  if (entry.kind != kind_ptx) return false;
  bool const exact = (entry.flags & (flag_architecture_specific | flag_family_specific)) != 0;
  return exact ? entry.architecture == compute_capability : entry.architecture <= compute_capability;
}

// The bytes of the chosen entry. A payload is padded; if it is compressed, its true size is in the header.
tl::expected<FatbinEntry, Failure> locate(Entry const& entry) {
  FatbinEntry found{entry.kind == kind_ptx, entry.architecture, Compression::none, entry.payload,
                    entry.payload.size()};
  if ((entry.flags & (flag_lz4 | flag_zstd)) != 0) {
    if (entry.compressed_bytes > entry.payload.size())
      return damaged_fatbin(fmt::format("{} compressed bytes in a payload of {}", entry.compressed_bytes,
                                        entry.payload.size()));
    if (entry.plain_bytes > max_plain_bytes)
      return damaged_fatbin(
          fmt::format("code of {} bytes, the limit is {}", entry.plain_bytes, max_plain_bytes));
    found.compression = (entry.flags & flag_zstd) != 0 ? Compression::zstd : Compression::lz4;
    found.data = entry.payload.first(entry.compressed_bytes);
    found.plain_bytes = entry.plain_bytes;
  }
  return found;
}

// Binary code of one generation (major version) runs on the same and later devices of that generation.
bool runs(Entry const& entry, std::uint32_t compute_capability) {
  return entry.kind == kind_cubin && entry.architecture <= compute_capability &&
         entry.architecture / 10 == compute_capability / 10;
}

tl::expected<std::vector<Entry>, Failure> read_entries(std::span<std::byte const> image) {
  if (image.size() < header_bytes || read<std::uint32_t>(image, 0) != fatbin_magic)
    return damaged_fatbin("it does not begin with a fatbin's header");
  auto const version = read<std::uint16_t>(image, 4);
  auto const own_bytes = read<std::uint16_t>(image, 6);
  auto const body_bytes = read<std::uint64_t>(image, 8);
  if (version != 1) return damaged_fatbin(fmt::format("version {} is not supported (1 is)", version));
  if (own_bytes < header_bytes || own_bytes > image.size() || body_bytes > image.size() - own_bytes)
    return damaged_fatbin(
        fmt::format("its header gives {} + {} bytes, the image has {}", own_bytes, body_bytes, image.size()));
  std::vector<Entry> entries;
  for (auto rest = image.subspan(own_bytes, body_bytes); !rest.empty();) {
    auto const entry = take_entry(rest);
    if (!entry) return tl::unexpected(entry.error());
    entries.push_back(*entry);
  }
  return entries;
}

} // namespace

tl::expected<Fatbin, Failure> read_fatbin(std::span<std::byte const> image,
                                          std::uint32_t compute_capability) {
  auto const entries = read_entries(image);
  if (!entries) return tl::unexpected(entries.error());
  Fatbin fatbin;
  Entry const* best = nullptr;
  for (Entry const& entry : *entries) {
    note(entry, fatbin.found);
    if (usable(entry, compute_capability) && (best == nullptr || entry.architecture > best->architecture))
      best = &entry;
  }
  if (best != nullptr) {
    auto const ptx = locate(*best);
    if (!ptx) return tl::unexpected(ptx.error());
    fatbin.best = *ptx;
  }
  return fatbin;
}

tl::expected<std::vector<FatbinEntry>, Failure> entries_for(std::span<std::byte const> image,
                                                            std::uint32_t compute_capability) {
  auto const entries = read_entries(image);
  if (!entries) return tl::unexpected(entries.error());
  auto const fatbin = read_fatbin(image, compute_capability);
  if (!fatbin) return tl::unexpected(fatbin.error());
  std::vector<FatbinEntry> chosen;
  for (Entry const& entry : *entries) {
    if (!runs(entry, compute_capability)) continue;
    auto const cubin = locate(entry);
    if (!cubin) return tl::unexpected(cubin.error());
    chosen.push_back(*cubin);
  }
  if (fatbin->best) chosen.push_back(*fatbin->best);
  return chosen;
}

} // namespace pegasus::image
