// SPDX-License-Identifier: Apache-2.0
#include "frontend/cudart/image.h"

#include "frontend/protocol/calls.h"

#include <cstdlib>
#include <cstring>

namespace pegasus::cudart {
namespace {

struct FatbinHeader {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t header_bytes;
  std::uint64_t body_bytes;
};
constexpr std::uint32_t fatbin_magic = 0xBA55ED50;

constexpr std::uint64_t padded(std::uint64_t bytes) { return (bytes + 7) & ~std::uint64_t{7}; }

// The parts of a device-linked program: part 0 is the linked code, the others are its units.
struct Parts {
  FatbinWrapper const& wrapper;
  [[nodiscard]] void const* at(std::size_t index) const {
    return index == 0 ? wrapper.data : static_cast<void const* const*>(wrapper.name_or_fatbins)[index - 1];
  }
  [[nodiscard]] std::size_t count() const {
    std::size_t units = 0;
    while (units < PEGASUS_IMAGE_SET_PARTS_MAX && at(units + 1) != nullptr)
      ++units;
    return units + 1;
  }
};

} // namespace

std::uint64_t fatbin_bytes(void const* fatbin) {
  if (fatbin == nullptr) return 0;
  FatbinHeader header;
  std::memcpy(&header, fatbin, sizeof header);
  if (header.magic != fatbin_magic || header.header_bytes < sizeof header) return 0;
  if (header.body_bytes > PEGASUS_MODULE_BYTES_MAX) return 0;
  return header.header_bytes + header.body_bytes;
}

void* make_image_set(FatbinWrapper const& wrapper, std::size_t& bytes) {
  if (wrapper.version < 2 || wrapper.data == nullptr || wrapper.name_or_fatbins == nullptr) return nullptr;
  Parts const parts{wrapper};
  std::size_t const count = parts.count();
  if (count > PEGASUS_IMAGE_SET_PARTS_MAX) return nullptr;
  std::uint64_t total = sizeof(pegasus_image_set) + count * sizeof(std::uint64_t);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t const size = fatbin_bytes(parts.at(i));
    total += padded(size);
    if (size == 0 || total > PEGASUS_MODULE_BYTES_MAX) return nullptr;
  }

  auto* const set = static_cast<std::byte*>(std::calloc(1, total));
  if (set == nullptr) return nullptr;
  pegasus_image_set const header{PEGASUS_IMAGE_SET_MAGIC, static_cast<std::uint32_t>(count)};
  std::memcpy(set, &header, sizeof header);
  std::byte* sizes = set + sizeof header;
  std::byte* target = sizes + count * sizeof(std::uint64_t);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t const size = fatbin_bytes(parts.at(i));
    std::memcpy(sizes + i * sizeof size, &size, sizeof size);
    std::memcpy(target, parts.at(i), size);
    target += padded(size);
  }
  bytes = total;
  return set;
}

CUresult load_image(Driver const& driver, FatbinWrapper const& wrapper, CUmodule& module) {
  if (wrapper.magic != FatbinWrapper::magic_value || fatbin_bytes(wrapper.data) == 0)
    return CUDA_ERROR_INVALID_IMAGE;
  if (wrapper.version >= 2 && wrapper.name_or_fatbins != nullptr) {
    std::size_t bytes = 0;
    void* const set = make_image_set(wrapper, bytes);
    if (set == nullptr) return CUDA_ERROR_INVALID_IMAGE;
    CUresult const result = driver.cuModuleLoadData(&module, set);
    std::free(set);
    // A driver that does not know this container may know the linked code.
    if (result != CUDA_ERROR_INVALID_IMAGE) return result;
  }
  return driver.cuModuleLoadData(&module, wrapper.data);
}

} // namespace pegasus::cudart
