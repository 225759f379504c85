// SPDX-License-Identifier: Apache-2.0
#include "domA/device/image/device_memory.h"

#include "domA/device/image/bytes.h"
#include "domA/device/image/cubin.h"
#include "domA/device/image/fatbin.h"
#include "domA/device/image/image_set.h"
#include "domA/device/image/ptx_text.h"
#include "domA/device/ptx/parser.h"

#include <algorithm>
#include <fmt/core.h>
#include <limits>
#include <new>

namespace pegasus::image {
namespace {

using Bytes = tl::expected<DeviceBytes, Failure>;

tl::unexpected<Failure> refused(std::string message) {
  return tl::unexpected(Failure{device::Status::invalid_image, std::move(message)});
}

// The sizes come from the guest.
std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  return __builtin_add_overflow(a, b, &result) ? std::numeric_limits<std::uint64_t>::max() : result;
}

Bytes bytes_of_cubin(std::span<std::byte const> image) {
  auto const sections = allocated_bytes(image);
  if (!sections) return refused("the cubin is damaged: its sections do not lie within it");
  return DeviceBytes{*sections};
}

// Text that this parser does not know may still be PTX to a newer driver.
DeviceBytes bytes_of_ptx(std::string_view text) {
  auto const module = ptx::parse(std::string(text));
  DeviceBytes total{text.size(), module.has_value()};
  if (!module) return total;
  for (ptx::Variable const& variable : module->variables)
    if (variable.space == ptx::Space::global || variable.space == ptx::Space::constant)
      total.bytes = sum(total.bytes, variable.bytes);
  return total;
}

Bytes bytes_of_entry(FatbinEntry const& entry) {
  auto const plain = decompress(entry.compression, entry.data, entry.plain_bytes);
  if (!plain)
    return refused(
        fmt::format("the compressed code for architecture {} in the fatbin is damaged", entry.architecture));
  if (entry.is_ptx) return bytes_of_ptx(plain->substr(0, plain->find('\0')));
  return bytes_of_cubin(std::as_bytes(std::span(*plain)));
}

Bytes bytes_of_fatbin(std::span<std::byte const> image, std::uint32_t compute_capability) {
  auto const entries = entries_for(image, compute_capability);
  if (!entries) return tl::unexpected(entries.error());
  DeviceBytes most;
  for (FatbinEntry const& entry : *entries) {
    Bytes const size = bytes_of_entry(entry);
    if (!size) return size;
    most = {std::max(most.bytes, size->bytes), most.complete && size->complete};
  }
  return most;
}

Bytes bytes_of_one(std::span<std::byte const> image, std::uint32_t compute_capability) {
  if (image.size() >= 4 && read<std::uint32_t>(image, 0) == fatbin_magic)
    return bytes_of_fatbin(image, compute_capability);
  if (is_elf(image)) return bytes_of_cubin(image);
  std::string_view const text = as_text(image);
  if (!target_of_ptx(text.substr(0, text.find('\0'))))
    return refused("the image is neither a fatbin, nor PTX text (which begins with .version), nor a cubin");
  return bytes_of_ptx(text.substr(0, text.find('\0')));
}

} // namespace

Bytes device_bytes(std::span<std::byte const> image, std::uint32_t image_kind,
                   std::uint32_t compute_capability) {
  constexpr std::uint32_t kind_one = 1, kind_set = 2;
  try {
    if (image_kind == kind_one) return bytes_of_one(image, compute_capability);
    if (image_kind != kind_set) return refused(fmt::format("there are no images of kind {}", image_kind));
    auto const parts = parts_of_set(image);
    if (!parts) return tl::unexpected(parts.error());
    DeviceBytes total;
    for (auto const part : *parts) {
      Bytes const size = bytes_of_one(part, compute_capability);
      if (!size) return size;
      total = {sum(total.bytes, size->bytes), total.complete && size->complete};
    }
    return total;
  } catch (std::bad_alloc const&) {
    return tl::unexpected(Failure{device::Status::out_of_memory, "not enough memory to look into the image"});
  }
}

} // namespace pegasus::image
