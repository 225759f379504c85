// SPDX-License-Identifier: Apache-2.0
// 2D and 3D copies. An array is a box of memory whose address and pitch the program does not know.
#include "frontend/cuda/copy.h"

#include "frontend/cuda/array.h"
#include "frontend/cuda/graph/capture.h"
#include "frontend/cuda/memory_table.h"
#include "frontend/cuda/stream.h"

#include <bit>
#include <cstddef>

namespace pegasus::driver {
namespace {

struct BoxSide {
  CUmemorytype type;
  void const* host;
  CUdeviceptr device;
  CUarray array;
  std::uint64_t x, y, z;
  std::uint64_t pitch, height;
  std::uint64_t slices = 0; // of an array
};

BoxSide target_of(CUDA_MEMCPY3D const& c) {
  return {c.dstMemoryType, c.dstHost, c.dstDevice, c.dstArray, c.dstXInBytes,
          c.dstY,          c.dstZ,    c.dstPitch,  c.dstHeight};
}
BoxSide source_of(CUDA_MEMCPY3D const& c) {
  return {c.srcMemoryType, c.srcHost, c.srcDevice, c.srcArray, c.srcXInBytes,
          c.srcY,          c.srcZ,    c.srcPitch,  c.srcHeight};
}

CUresult check_type(BoxSide& side) {
  if (side.type == CU_MEMORYTYPE_ARRAY) {
    Array const* const array = find<Array>(side.array);
    if (array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    side.type = CU_MEMORYTYPE_DEVICE;
    side.device = array->address;
    side.pitch = array->level.row_bytes;
    side.height = array->level.height;
    side.slices = array->level.slices;
  }
  bool const known = side.type == CU_MEMORYTYPE_HOST || side.type == CU_MEMORYTYPE_DEVICE ||
                     side.type == CU_MEMORYTYPE_UNIFIED;
  return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

bool within(std::uint64_t begin, std::uint64_t extent, std::uint64_t all) {
  return begin <= all && extent <= all - begin;
}

bool fits(BoxSide const& side, CUDA_MEMCPY3D const& box) {
  if (side.slices != 0)
    return within(side.x, box.WidthInBytes, side.pitch) && within(side.y, box.Height, side.height) &&
           within(side.z, box.Depth, side.slices);
  std::uint64_t end = 0;
  if (__builtin_add_overflow(side.x, box.WidthInBytes, &end)) return false;
  if ((box.Height > 1 || box.Depth > 1 || side.y > 0 || side.z > 0) && side.pitch < end) return false;
  if (__builtin_add_overflow(side.y, box.Height, &end)) return false;
  return box.Depth <= 1 || side.height >= end;
}

// The start of slice `z` of the box. Returns false if the numbers overflow.
bool slice(BoxSide const& side, std::uint64_t z, Side& out) {
  std::uint64_t row = 0;
  std::uint64_t offset = 0;
  std::uint64_t layer = 0;
  if (__builtin_add_overflow(side.z, z, &layer) || __builtin_mul_overflow(layer, side.height, &row) ||
      __builtin_add_overflow(row, side.y, &row) || __builtin_mul_overflow(row, side.pitch, &offset) ||
      __builtin_add_overflow(offset, side.x, &offset))
    return false;
  std::uint64_t const base =
      side.type == CU_MEMORYTYPE_HOST ? reinterpret_cast<std::uintptr_t>(side.host) : side.device;
  if (base == 0 || __builtin_add_overflow(base, offset, &out.address)) return false;
  out.pitch = side.pitch;
  out.on_device =
      side.type == CU_MEMORYTYPE_DEVICE || (side.type == CU_MEMORYTYPE_UNIFIED && side_of(base).on_device);
  return true;
}

// A copy of rows is a box of one slice.
CUDA_MEMCPY3D box_of(CUDA_MEMCPY2D const& c) {
  CUDA_MEMCPY3D box{};
  box.srcMemoryType = c.srcMemoryType;
  box.srcHost = c.srcHost;
  box.srcDevice = c.srcDevice;
  box.srcArray = c.srcArray;
  box.srcXInBytes = c.srcXInBytes;
  box.srcY = c.srcY;
  box.srcPitch = c.srcPitch;
  box.dstMemoryType = c.dstMemoryType;
  box.dstHost = c.dstHost;
  box.dstDevice = c.dstDevice;
  box.dstArray = c.dstArray;
  box.dstXInBytes = c.dstXInBytes;
  box.dstY = c.dstY;
  box.dstPitch = c.dstPitch;
  box.WidthInBytes = c.WidthInBytes;
  box.Height = c.Height;
  box.Depth = 1;
  return box;
}
CUDA_MEMCPY3D const& box_of(CUDA_MEMCPY3D const& c) { return c; }
// The same struct but for its contexts, which do not matter on one device.
CUDA_MEMCPY3D box_of(CUDA_MEMCPY3D_PEER const& c) {
  static_assert(offsetof(CUDA_MEMCPY3D, reserved0) == offsetof(CUDA_MEMCPY3D_PEER, srcContext) &&
                offsetof(CUDA_MEMCPY3D, reserved1) == offsetof(CUDA_MEMCPY3D_PEER, dstContext) &&
                offsetof(CUDA_MEMCPY3D, Depth) == offsetof(CUDA_MEMCPY3D_PEER, Depth));
  auto box = std::bit_cast<CUDA_MEMCPY3D>(c);
  box.reserved0 = box.reserved1 = nullptr;
  return box;
}

template <class Host> void settle(CUmemorytype& type, Host& host, CUdeviceptr address) {
  if (type != CU_MEMORYTYPE_UNIFIED) return;
  type = side_of(address).on_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
  host = reinterpret_cast<Host>(static_cast<std::uintptr_t>(address));
}

CUresult copy_box(Channel& channel, CUDA_MEMCPY3D const& box, CUstream stream, bool blocking) {
  std::uint64_t remote = 0;
  bool captured = false;
  if (CUresult const status = resolve_stream(channel, stream, remote, nullptr, &captured);
      status != CUDA_SUCCESS)
    return status;
  if (captured) { // one node for any number of slices
    CopyWork const work{settled(box)};
    CUresult const status = check(channel, work);
    return status == CUDA_SUCCESS ? capture_work(stream, work) : status;
  }
  return each_slice(box, [&](RowCopy const& copy) {
    return copy_rows(channel, stream, copy.target, copy.source, copy.row_bytes, copy.rows, blocking);
  });
}

template <class Copy> CUresult copy_any(Copy const* parameters, CUstream stream, bool blocking) {
  return with_context([&](Channel& channel, Context&) {
    if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
    CUDA_MEMCPY3D const& box = box_of(*parameters);
    if (box.srcLOD != 0 || box.dstLOD != 0) return CUDA_ERROR_INVALID_VALUE;
    return copy_box(channel, box, stream, blocking);
  });
}

} // namespace

CUDA_MEMCPY3D settled(CUDA_MEMCPY3D box) {
  settle(box.dstMemoryType, box.dstHost, box.dstDevice);
  settle(box.srcMemoryType, box.srcHost, box.srcDevice);
  return box;
}

CUresult each_slice(CUDA_MEMCPY3D const& box, std::function<CUresult(RowCopy&)> const& visit) {
  BoxSide target = target_of(box), source = source_of(box);
  for (BoxSide* const side : {&target, &source})
    if (CUresult const status = check_type(*side); status != CUDA_SUCCESS) return status;
  if (box.WidthInBytes == 0 || box.Height == 0 || box.Depth == 0) return CUDA_SUCCESS;
  if (!fits(target, box) || !fits(source, box)) return CUDA_ERROR_INVALID_VALUE;
  for (std::uint64_t z = 0; z < box.Depth; ++z) {
    RowCopy rows{{}, {}, box.WidthInBytes, box.Height};
    if (!slice(target, z, rows.target) || !slice(source, z, rows.source)) return CUDA_ERROR_INVALID_VALUE;
    if (CUresult const status = visit(rows); status != CUDA_SUCCESS) return status;
  }
  return CUDA_SUCCESS;
}

} // namespace pegasus::driver

using namespace pegasus::driver;

CUresult cuMemcpy2D_v2(CUDA_MEMCPY2D const* copy) { return copy_any(copy, nullptr, true); }
CUresult cuMemcpy2D_v2_ptds(CUDA_MEMCPY2D const* copy) { return copy_any(copy, per_thread(nullptr), true); }
CUresult cuMemcpy2DUnaligned_v2(CUDA_MEMCPY2D const* copy) { return copy_any(copy, nullptr, true); }
CUresult cuMemcpy2DUnaligned_v2_ptds(CUDA_MEMCPY2D const* copy) {
  return copy_any(copy, per_thread(nullptr), true);
}
CUresult cuMemcpy2DAsync_v2(CUDA_MEMCPY2D const* copy, CUstream stream) {
  return copy_any(copy, stream, false);
}

CUresult cuMemcpy3D_v2(CUDA_MEMCPY3D const* copy) { return copy_any(copy, nullptr, true); }
CUresult cuMemcpy3D_v2_ptds(CUDA_MEMCPY3D const* copy) { return copy_any(copy, per_thread(nullptr), true); }
CUresult cuMemcpy3DAsync_v2(CUDA_MEMCPY3D const* copy, CUstream stream) {
  return copy_any(copy, stream, false);
}
CUresult cuMemcpy3DPeer(CUDA_MEMCPY3D_PEER const* copy) { return copy_any(copy, nullptr, true); }
CUresult cuMemcpy3DPeer_ptds(CUDA_MEMCPY3D_PEER const* copy) {
  return copy_any(copy, per_thread(nullptr), true);
}
CUresult cuMemcpy3DPeerAsync(CUDA_MEMCPY3D_PEER const* copy, CUstream stream) {
  return copy_any(copy, stream, false);
}
