// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/array_copies.h"

namespace pegasus::cuda {
namespace {

CopySide side_of(CopyEnd const& end) {
  if (!end.in_level) return {nullptr, 0, end.pitch};
  return {&end.in_level->level->grid, end.in_level->offset, end.pitch};
}

CUmemorytype kind_of(CopyEnd const& end) {
  if (end.in_level) return CU_MEMORYTYPE_ARRAY;
  return end.host != nullptr ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

std::byte* host_at(CopyEnd const& end, BoxPlace const& place) {
  return end.host == nullptr ? nullptr : static_cast<std::byte*>(end.host) + place.offset;
}

CUarray array_of(CopyEnd const& end) { return end.in_level ? end.in_level->level->handle : nullptr; }

CUDA_MEMCPY3D copy_of(Box const& box, CopyEnd const& target, CopyEnd const& source) {
  CUDA_MEMCPY3D copy{};
  copy.srcXInBytes = box.source.x;
  copy.srcY = box.source.y;
  copy.srcZ = box.source.z;
  copy.srcMemoryType = kind_of(source);
  copy.srcHost = host_at(source, box.source);
  copy.srcDevice = source.device + box.source.offset;
  copy.srcArray = array_of(source);
  copy.srcPitch = box.source.pitch;
  copy.srcHeight = source.in_level ? 0 : box.height;
  copy.dstXInBytes = box.target.x;
  copy.dstY = box.target.y;
  copy.dstZ = box.target.z;
  copy.dstMemoryType = kind_of(target);
  copy.dstHost = host_at(target, box.target);
  copy.dstDevice = target.device + box.target.offset;
  copy.dstArray = array_of(target);
  copy.dstPitch = box.target.pitch;
  copy.dstHeight = target.in_level ? 0 : box.height;
  copy.WidthInBytes = box.width;
  copy.Height = box.height;
  copy.Depth = box.depth;
  return copy;
}

} // namespace

std::optional<std::vector<CUDA_MEMCPY3D>> array_copies(CopyEnd const& target, CopyEnd const& source,
                                                       std::uint64_t row_bytes, std::uint64_t rows) {
  auto const boxes = boxes_of(side_of(target), side_of(source), row_bytes, rows);
  if (!boxes) return std::nullopt;
  std::vector<CUDA_MEMCPY3D> copies;
  copies.reserve(boxes->size());
  for (Box const& box : *boxes)
    copies.push_back(copy_of(box, target, source));
  return copies;
}

} // namespace pegasus::cuda
