// SPDX-License-Identifier: Apache-2.0
// 2D and 3D copies of linear memory. These accelerators have no CUDA arrays: a copy that names one
// is not supported.
#include "frontend/cuda/copy.h"

#include "frontend/cuda/graph/capture.h"
#include "frontend/cuda/memory_table.h"
#include "frontend/cuda/stream.h"

namespace pegasus::driver {
namespace {

// One side of a CUDA_MEMCPY3D; a CUDA_MEMCPY2D is one slice of it.
struct BoxSide {
  CUmemorytype type;
  void const* host;
  CUdeviceptr device;
  std::uint64_t x, y, z;
  std::uint64_t pitch, height;
};

struct Box {
  BoxSide target, source;
  std::uint64_t width, height, depth;
};

bool fits(BoxSide const& side, Box const& box) {
  std::uint64_t end = 0;
  if (__builtin_add_overflow(side.x, box.width, &end)) return false;
  if ((box.height > 1 || box.depth > 1 || side.y > 0 || side.z > 0) && side.pitch < end) return false;
  if (__builtin_add_overflow(side.y, box.height, &end)) return false;
  return box.depth <= 1 || side.height >= end;
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
  out.on_device = side.type == CU_MEMORYTYPE_DEVICE ||
                  (side.type == CU_MEMORYTYPE_UNIFIED && device_memory().find(base).has_value());
  return true;
}

// For CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER, which differ in fields that do not matter on one device.
template <class Copy> Box box_of(Copy const& c) {
  return {{c.dstMemoryType, c.dstHost, c.dstDevice, c.dstXInBytes, c.dstY, c.dstZ, c.dstPitch, c.dstHeight},
          {c.srcMemoryType, c.srcHost, c.srcDevice, c.srcXInBytes, c.srcY, c.srcZ, c.srcPitch, c.srcHeight},
          c.WidthInBytes,
          c.Height,
          c.Depth};
}

template <class Visit> CUresult each_slice(Box const& box, Visit const& visit) {
  for (BoxSide const* const side : {&box.target, &box.source}) {
    if (side->type == CU_MEMORYTYPE_ARRAY) return CUDA_ERROR_NOT_SUPPORTED;
    if (side->type != CU_MEMORYTYPE_HOST && side->type != CU_MEMORYTYPE_DEVICE &&
        side->type != CU_MEMORYTYPE_UNIFIED)
      return CUDA_ERROR_INVALID_VALUE;
  }
  if (box.width == 0 || box.height == 0 || box.depth == 0) return CUDA_SUCCESS;
  if (!fits(box.target, box) || !fits(box.source, box)) return CUDA_ERROR_INVALID_VALUE;
  for (std::uint64_t z = 0; z < box.depth; ++z) {
    RowCopy copy{{}, {}, box.width, box.height};
    if (!slice(box.target, z, copy.target) || !slice(box.source, z, copy.source))
      return CUDA_ERROR_INVALID_VALUE;
    if (CUresult const status = visit(copy); status != CUDA_SUCCESS) return status;
  }
  return CUDA_SUCCESS;
}

// The box of a plain call in the form of a graph node.
CUDA_MEMCPY3D node_of(Box const& box) {
  CUDA_MEMCPY3D c{};
  c.dstMemoryType = box.target.type;
  c.dstHost = const_cast<void*>(box.target.host);
  c.dstDevice = box.target.device;
  c.dstXInBytes = box.target.x;
  c.dstY = box.target.y;
  c.dstZ = box.target.z;
  c.dstPitch = box.target.pitch;
  c.dstHeight = box.target.height;
  c.srcMemoryType = box.source.type;
  c.srcHost = box.source.host;
  c.srcDevice = box.source.device;
  c.srcXInBytes = box.source.x;
  c.srcY = box.source.y;
  c.srcZ = box.source.z;
  c.srcPitch = box.source.pitch;
  c.srcHeight = box.source.height;
  c.WidthInBytes = box.width;
  c.Height = box.height;
  c.Depth = box.depth;
  return c;
}

template <class Host> void settle(CUmemorytype& type, Host& host, CUdeviceptr address) {
  if (type != CU_MEMORYTYPE_UNIFIED) return;
  type = side_of(address).on_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
  host = reinterpret_cast<Host>(static_cast<std::uintptr_t>(address));
}

CUresult copy_box(Channel& channel, Box const& box, CUstream stream, bool blocking) {
  std::uint64_t remote = 0;
  bool captured = false;
  if (CUresult const status = resolve_stream(channel, stream, remote, nullptr, &captured);
      status != CUDA_SUCCESS)
    return status;
  if (captured) { // one node for any number of slices
    CopyWork const work{settled(node_of(box))};
    CUresult const status = check(channel, work);
    return status == CUDA_SUCCESS ? capture_work(stream, work) : status;
  }
  return each_slice(box, [&](RowCopy const& copy) {
    return copy_rows(channel, stream, copy.target, copy.source, copy.row_bytes, copy.rows, blocking);
  });
}

CUresult copy_2d(CUDA_MEMCPY2D const* c, CUstream stream, bool blocking) {
  return with_context([&](Channel& channel, Context&) {
    if (c == nullptr) return CUDA_ERROR_INVALID_VALUE;
    Box const box{{c->dstMemoryType, c->dstHost, c->dstDevice, c->dstXInBytes, c->dstY, 0, c->dstPitch, 0},
                  {c->srcMemoryType, c->srcHost, c->srcDevice, c->srcXInBytes, c->srcY, 0, c->srcPitch, 0},
                  c->WidthInBytes,
                  c->Height,
                  1};
    return copy_box(channel, box, stream, blocking);
  });
}

template <class Copy> CUresult copy_3d(Copy const* c, CUstream stream, bool blocking) {
  return with_context([&](Channel& channel, Context&) {
    if (c == nullptr || c->srcLOD != 0 || c->dstLOD != 0) return CUDA_ERROR_INVALID_VALUE;
    return copy_box(channel, box_of(*c), stream, blocking);
  });
}

} // namespace

CUDA_MEMCPY3D settled(CUDA_MEMCPY3D box) {
  settle(box.dstMemoryType, box.dstHost, box.dstDevice);
  settle(box.srcMemoryType, box.srcHost, box.srcDevice);
  return box;
}

CUresult each_slice(CUDA_MEMCPY3D const& box, std::function<CUresult(RowCopy&)> const& visit) {
  return each_slice(box_of(box), visit);
}

} // namespace pegasus::driver

using namespace pegasus::driver;

CUresult cuMemcpy2D_v2(CUDA_MEMCPY2D const* copy) { return copy_2d(copy, nullptr, true); }
CUresult cuMemcpy2D_v2_ptds(CUDA_MEMCPY2D const* copy) { return copy_2d(copy, per_thread(nullptr), true); }
CUresult cuMemcpy2DUnaligned_v2(CUDA_MEMCPY2D const* copy) { return copy_2d(copy, nullptr, true); }
CUresult cuMemcpy2DUnaligned_v2_ptds(CUDA_MEMCPY2D const* copy) {
  return copy_2d(copy, per_thread(nullptr), true);
}
CUresult cuMemcpy2DAsync_v2(CUDA_MEMCPY2D const* copy, CUstream stream) {
  return copy_2d(copy, stream, false);
}

CUresult cuMemcpy3D_v2(CUDA_MEMCPY3D const* copy) { return copy_3d(copy, nullptr, true); }
CUresult cuMemcpy3D_v2_ptds(CUDA_MEMCPY3D const* copy) { return copy_3d(copy, per_thread(nullptr), true); }
CUresult cuMemcpy3DAsync_v2(CUDA_MEMCPY3D const* copy, CUstream stream) {
  return copy_3d(copy, stream, false);
}
CUresult cuMemcpy3DPeer(CUDA_MEMCPY3D_PEER const* copy) { return copy_3d(copy, nullptr, true); }
CUresult cuMemcpy3DPeer_ptds(CUDA_MEMCPY3D_PEER const* copy) {
  return copy_3d(copy, per_thread(nullptr), true);
}
CUresult cuMemcpy3DPeerAsync(CUDA_MEMCPY3D_PEER const* copy, CUstream stream) {
  return copy_3d(copy, stream, false);
}
