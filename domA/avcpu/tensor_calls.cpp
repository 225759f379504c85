// SPDX-License-Identifier: Apache-2.0
#include "domA/avcpu/tensor_calls.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace pegasus::avcpu {
namespace {

static_assert(device::TensorMap::bytes == PEGASUS_TENSOR_MAP_BYTES);

// Returns nullopt if the driver would read beyond an array, or if a number is beyond CUDA's enumerations.
std::optional<device::TensorMap> checked(pegasus_tensor_map const& from) {
  using Kind = device::TensorMap::Kind;
  device::TensorMap map;
  map.kind = static_cast<Kind>(from.kind);
  bool const im2col = map.kind == Kind::im2col || map.kind == Kind::im2col_wide;
  if (from.kind < 1 || from.kind > 4) return std::nullopt;
  if (map.kind != Kind::other_address &&
      (from.rank < (im2col ? 3 : 1) || from.rank > PEGASUS_TENSOR_RANK_MAX))
    return std::nullopt;
  // The number of values that CUDA's enumeration has bits for.
  if (from.data_type >= 16 || from.interleave >= 4 || from.swizzle >= 8 || from.promotion >= 4 ||
      from.fill >= 2 || from.mode >= 2)
    return std::nullopt;
  std::memcpy(map.before.data(), from.descriptor, map.before.size());
  map.address = from.address;
  map.rank = from.rank;
  std::ranges::copy(from.dimensions, map.dimensions.begin());
  std::ranges::copy(from.strides, map.strides.begin());
  std::ranges::copy(from.box, map.box.begin());
  std::ranges::copy(from.element_strides, map.element_strides.begin());
  std::ranges::copy(from.lower, map.lower.begin());
  std::ranges::copy(from.upper, map.upper.begin());
  map.channels = from.channels;
  map.pixels = from.pixels;
  map.data_type = from.data_type;
  map.interleave = from.interleave;
  map.swizzle = from.swizzle;
  map.promotion = from.promotion;
  map.fill = from.fill;
  map.mode = from.mode;
  return map;
}

} // namespace

Status TensorCalls::on(pegasus_tensor_map_encode_request const&, Data const& data,
                       pegasus_tensor_map_encode_reply&) {
  pegasus_tensor_map sent;
  if (data.arena.size() < sizeof sent) return Status::invalid_value;
  std::memcpy(&sent, data.arena.data(), sizeof sent); // once: the guest may change it
  std::optional<device::TensorMap> const map = checked(sent);
  if (!map) return Status::invalid_value;
  device::TensorMap::Descriptor made{};
  Status const status = objects_.context().encode_tensor_map(*map, made);
  if (status == Status::success) std::memcpy(data.arena.data(), made.data(), made.size());
  return status;
}

} // namespace pegasus::avcpu
