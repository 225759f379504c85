// SPDX-License-Identifier: Apache-2.0
// Properties of a device: single attributes, and cudaDeviceProp (CUDA 13) built from them. cudaDeviceAttr has
// the numbers of CUdevice_attribute.
#include "frontend/cudart/context.h"

#include <cstring>

using namespace pegasus::cudart;

namespace {

struct IntField {
  std::size_t offset;
  CUdevice_attribute attribute;
};
struct SizeField {
  std::size_t offset;
  CUdevice_attribute attribute;
};

#define FIELD(member, attribute)                                                                             \
  { offsetof(cudaDeviceProp, member), CU_DEVICE_ATTRIBUTE_##attribute }

constexpr IntField int_fields[] = {
#include "frontend/cudart/property_fields.inc"
};

constexpr SizeField size_fields[] = {
    FIELD(sharedMemPerBlock, MAX_SHARED_MEMORY_PER_BLOCK),
    FIELD(memPitch, MAX_PITCH),
    FIELD(totalConstMem, TOTAL_CONSTANT_MEMORY),
    FIELD(textureAlignment, TEXTURE_ALIGNMENT),
    FIELD(texturePitchAlignment, TEXTURE_PITCH_ALIGNMENT),
    FIELD(surfaceAlignment, SURFACE_ALIGNMENT),
    FIELD(sharedMemPerMultiprocessor, MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
    FIELD(sharedMemPerBlockOptin, MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
    FIELD(reservedSharedMemPerBlock, RESERVED_SHARED_MEMORY_PER_BLOCK),
};
#undef FIELD

// An attribute that this driver does not know reads as 0.
int attribute(Driver const& driver, CUdevice device, CUdevice_attribute which) {
  int value = 0;
  return driver.cuDeviceGetAttribute(&value, which, device) == CUDA_SUCCESS ? value : 0;
}

cudaError_t fill(Driver const& driver, CUdevice device, cudaDeviceProp& properties) {
  std::memset(static_cast<void*>(&properties), 0, sizeof properties);
  CUresult result = driver.cuDeviceGetName(properties.name, sizeof properties.name, device);
  if (result == CUDA_SUCCESS) result = driver.cuDeviceTotalMem_v2(&properties.totalGlobalMem, device);
  if (result == CUDA_SUCCESS) result = driver.cuDeviceGetUuid_v2(&properties.uuid, device);
  if (result != CUDA_SUCCESS) return from_driver(result);
  auto* const base = reinterpret_cast<std::byte*>(&properties);
  for (IntField const& field : int_fields) {
    int const value = attribute(driver, device, field.attribute);
    std::memcpy(base + field.offset, &value, sizeof value);
  }
  for (SizeField const& field : size_fields) {
    int const value = attribute(driver, device, field.attribute);
    std::size_t const bytes = value < 0 ? 0 : static_cast<std::size_t>(value);
    std::memcpy(base + field.offset, &bytes, sizeof bytes);
  }
  return cudaSuccess;
}

// cudaChooseDevice: how well `have` matches `want`; fields that are 0 are not requested.
int score(cudaDeviceProp const& have, cudaDeviceProp const& want) {
  int points = 0;
  if (want.major != 0)
    points += have.major > want.major || (have.major == want.major && have.minor >= want.minor) ? 8 : -8;
  if (want.totalGlobalMem != 0) points += have.totalGlobalMem >= want.totalGlobalMem ? 4 : -4;
  if (want.multiProcessorCount != 0) points += have.multiProcessorCount >= want.multiProcessorCount ? 2 : -2;
  if (want.maxThreadsPerBlock != 0) points += have.maxThreadsPerBlock >= want.maxThreadsPerBlock ? 1 : -1;
  if (want.integrated != 0) points += have.integrated == want.integrated ? 1 : -1;
  return points;
}

} // namespace

PEGASUS_API cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int ordinal) {
  if (value == nullptr) return finish(cudaErrorInvalidValue);
  return with_driver([&](Driver const& driver) {
    CUdevice device = 0;
    if (cudaError_t const error = device_handle(driver, ordinal, device); error != cudaSuccess) return error;
    return from_driver(
        driver.cuDeviceGetAttribute(value, static_cast<CUdevice_attribute>(attribute), device));
  });
}

PEGASUS_API cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int ordinal) {
  if (properties == nullptr) return finish(cudaErrorInvalidValue);
  return with_driver([&](Driver const& driver) {
    CUdevice device = 0;
    if (cudaError_t const error = device_handle(driver, ordinal, device); error != cudaSuccess) return error;
    return fill(driver, device, *properties);
  });
}

PEGASUS_API cudaError_t cudaChooseDevice(int* chosen, cudaDeviceProp const* wanted) {
  if (chosen == nullptr || wanted == nullptr) return finish(cudaErrorInvalidValue);
  return with_driver([&](Driver const& driver) {
    int count = 0;
    if (CUresult const result = driver.cuDeviceGetCount(&count); result != CUDA_SUCCESS)
      return from_driver(result);
    int best = 0;
    for (int ordinal = 0; ordinal < count; ++ordinal) {
      CUdevice device = 0;
      cudaDeviceProp have;
      if (cudaError_t const error = device_handle(driver, ordinal, device); error != cudaSuccess)
        return error;
      if (cudaError_t const error = fill(driver, device, have); error != cudaSuccess) return error;
      if (int const points = score(have, *wanted); ordinal == 0 || points > best) {
        best = points;
        *chosen = ordinal;
      }
    }
    return count == 0 ? cudaErrorNoDevice : cudaSuccess;
  });
}

PEGASUS_API cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int from, int to) {
  if (value == nullptr) return finish(cudaErrorInvalidValue);
  return with_driver([&](Driver const& driver) {
    CUdevice source = 0;
    CUdevice target = 0;
    if (cudaError_t const error = device_handle(driver, from, source); error != cudaSuccess) return error;
    if (cudaError_t const error = device_handle(driver, to, target); error != cudaSuccess) return error;
    return from_driver(
        driver.cuDeviceGetP2PAttribute(value, static_cast<CUdevice_P2PAttribute>(attribute), source, target));
  });
}

PEGASUS_API cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int ordinal) {
  if (id == nullptr || length <= 0) return finish(cudaErrorInvalidValue);
  return with_driver([&](Driver const& driver) {
    CUdevice device = 0;
    if (cudaError_t const error = device_handle(driver, ordinal, device); error != cudaSuccess) return error;
    return from_driver(driver.cuDeviceGetPCIBusId(id, length, device));
  });
}

PEGASUS_API cudaError_t cudaDeviceGetByPCIBusId(int* ordinal, char const* id) {
  if (ordinal == nullptr || id == nullptr) return finish(cudaErrorInvalidValue);
  return with_driver([&](Driver const& driver) {
    CUdevice device = 0;
    CUresult const result = driver.cuDeviceGetByPCIBusId(&device, id);
    *ordinal = device;
    return result;
  });
}
