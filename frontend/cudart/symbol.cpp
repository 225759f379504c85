// SPDX-License-Identifier: Apache-2.0
// Variables of the device code, identified by the address of their shadow in the program.
#include "frontend/cudart/copy.h"
#include "frontend/cudart/variable.h"

using namespace pegasus::cudart;

namespace {

cudaError_t copy_to(void const* symbol, void const* source, std::size_t bytes, std::size_t offset,
                    cudaMemcpyKind kind, Order order) {
  if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return finish(cudaErrorInvalidMemcpyDirection);
  return with_variable(symbol, [&](Driver const& driver, Variable const& variable) {
    if (!within(variable, offset, bytes)) return cudaErrorInvalidValue;
    return copy_range(driver, pointer_to(variable.address + offset), source, bytes, kind, order);
  });
}

cudaError_t copy_from(void* target, void const* symbol, std::size_t bytes, std::size_t offset,
                      cudaMemcpyKind kind, Order order) {
  if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return finish(cudaErrorInvalidMemcpyDirection);
  return with_variable(symbol, [&](Driver const& driver, Variable const& variable) {
    if (!within(variable, offset, bytes)) return cudaErrorInvalidValue;
    return copy_range(driver, target, pointer_to(variable.address + offset), bytes, kind, order);
  });
}

} // namespace

PEGASUS_API cudaError_t cudaGetSymbolAddress(void** pointer, void const* symbol) {
  if (pointer == nullptr) return finish(cudaErrorInvalidValue);
  return with_variable(symbol, [&](Driver const&, Variable const& variable) {
    *pointer = pointer_to(variable.address);
    return cudaSuccess;
  });
}

PEGASUS_API cudaError_t cudaGetSymbolSize(std::size_t* bytes, void const* symbol) {
  if (bytes == nullptr) return finish(cudaErrorInvalidValue);
  return with_variable(symbol, [&](Driver const&, Variable const& variable) {
    *bytes = variable.bytes;
    return cudaSuccess;
  });
}

PEGASUS_API cudaError_t cudaMemcpyToSymbol(void const* symbol, void const* source, std::size_t bytes,
                                           std::size_t offset, cudaMemcpyKind kind) {
  return copy_to(symbol, source, bytes, offset, kind, synchronous());
}
PEGASUS_API cudaError_t cudaMemcpyToSymbol_ptds(void const* symbol, void const* source, std::size_t bytes,
                                                std::size_t offset, cudaMemcpyKind kind) {
  return copy_to(symbol, source, bytes, offset, kind, synchronous_per_thread());
}
PEGASUS_API cudaError_t cudaMemcpyToSymbolAsync(void const* symbol, void const* source, std::size_t bytes,
                                                std::size_t offset, cudaMemcpyKind kind,
                                                cudaStream_t stream) {
  return copy_to(symbol, source, bytes, offset, kind, in(stream));
}

PEGASUS_API cudaError_t cudaMemcpyFromSymbol(void* target, void const* symbol, std::size_t bytes,
                                             std::size_t offset, cudaMemcpyKind kind) {
  return copy_from(target, symbol, bytes, offset, kind, synchronous());
}
PEGASUS_API cudaError_t cudaMemcpyFromSymbol_ptds(void* target, void const* symbol, std::size_t bytes,
                                                  std::size_t offset, cudaMemcpyKind kind) {
  return copy_from(target, symbol, bytes, offset, kind, synchronous_per_thread());
}
PEGASUS_API cudaError_t cudaMemcpyFromSymbolAsync(void* target, void const* symbol, std::size_t bytes,
                                                  std::size_t offset, cudaMemcpyKind kind,
                                                  cudaStream_t stream) {
  return copy_from(target, symbol, bytes, offset, kind, in(stream));
}
