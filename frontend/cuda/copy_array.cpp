// SPDX-License-Identifier: Apache-2.0
// Copies of plain ranges to and from arrays of one dimension; offsets are in bytes.
#include "frontend/cuda/cuda_api.h"

namespace {

struct Place {
  CUmemorytype type;
  CUarray array;
  std::size_t offset;
  CUdeviceptr device;
  void* host;
};

Place in(CUarray array, std::size_t offset) { return {CU_MEMORYTYPE_ARRAY, array, offset, 0, nullptr}; }
Place at(CUdeviceptr address) { return {CU_MEMORYTYPE_DEVICE, nullptr, 0, address, nullptr}; }
Place at(void const* pointer) { return {CU_MEMORYTYPE_HOST, nullptr, 0, 0, const_cast<void*>(pointer)}; }

CUDA_MEMCPY3D row_of(Place const& target, Place const& source, std::size_t bytes) {
  CUDA_MEMCPY3D row{};
  row.dstMemoryType = target.type;
  row.dstArray = target.array;
  row.dstXInBytes = target.offset;
  row.dstDevice = target.device;
  row.dstHost = target.host;
  row.srcMemoryType = source.type;
  row.srcArray = source.array;
  row.srcXInBytes = source.offset;
  row.srcDevice = source.device;
  row.srcHost = source.host;
  row.WidthInBytes = bytes;
  row.Height = 1;
  row.Depth = 1;
  return row;
}

CUresult copy(Place const& target, Place const& source, std::size_t bytes) {
  CUDA_MEMCPY3D const row = row_of(target, source, bytes);
  return cuMemcpy3D_v2(&row);
}
CUresult copy_per_thread(Place const& target, Place const& source, std::size_t bytes) {
  CUDA_MEMCPY3D const row = row_of(target, source, bytes);
  return cuMemcpy3D_v2_ptds(&row);
}
CUresult copy_async(Place const& target, Place const& source, std::size_t bytes, CUstream stream) {
  CUDA_MEMCPY3D const row = row_of(target, source, bytes);
  return cuMemcpy3DAsync_v2(&row, stream);
}

} // namespace

CUresult cuMemcpyDtoA_v2(CUarray target, std::size_t offset, CUdeviceptr source, std::size_t bytes) {
  return copy(in(target, offset), at(source), bytes);
}
CUresult cuMemcpyDtoA_v2_ptds(CUarray target, std::size_t offset, CUdeviceptr source, std::size_t bytes) {
  return copy_per_thread(in(target, offset), at(source), bytes);
}

CUresult cuMemcpyAtoD_v2(CUdeviceptr target, CUarray source, std::size_t offset, std::size_t bytes) {
  return copy(at(target), in(source, offset), bytes);
}
CUresult cuMemcpyAtoD_v2_ptds(CUdeviceptr target, CUarray source, std::size_t offset, std::size_t bytes) {
  return copy_per_thread(at(target), in(source, offset), bytes);
}

CUresult cuMemcpyHtoA_v2(CUarray target, std::size_t offset, void const* source, std::size_t bytes) {
  return copy(in(target, offset), at(source), bytes);
}
CUresult cuMemcpyHtoA_v2_ptds(CUarray target, std::size_t offset, void const* source, std::size_t bytes) {
  return copy_per_thread(in(target, offset), at(source), bytes);
}
CUresult cuMemcpyHtoAAsync_v2(CUarray target, std::size_t offset, void const* source, std::size_t bytes,
                              CUstream stream) {
  return copy_async(in(target, offset), at(source), bytes, stream);
}

CUresult cuMemcpyAtoH_v2(void* target, CUarray source, std::size_t offset, std::size_t bytes) {
  return copy(at(target), in(source, offset), bytes);
}
CUresult cuMemcpyAtoH_v2_ptds(void* target, CUarray source, std::size_t offset, std::size_t bytes) {
  return copy_per_thread(at(target), in(source, offset), bytes);
}
CUresult cuMemcpyAtoHAsync_v2(void* target, CUarray source, std::size_t offset, std::size_t bytes,
                              CUstream stream) {
  return copy_async(at(target), in(source, offset), bytes, stream);
}

CUresult cuMemcpyAtoA_v2(CUarray target, std::size_t target_offset, CUarray source, std::size_t source_offset,
                         std::size_t bytes) {
  return copy(in(target, target_offset), in(source, source_offset), bytes);
}
CUresult cuMemcpyAtoA_v2_ptds(CUarray target, std::size_t target_offset, CUarray source,
                              std::size_t source_offset, std::size_t bytes) {
  return copy_per_thread(in(target, target_offset), in(source, source_offset), bytes);
}
