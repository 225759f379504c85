// SPDX-License-Identifier: Apache-2.0
// The device: one, ordinal 0, described by the profile that came with the channel.
#include "frontend/cuda/context.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace pegasus::driver {
namespace {

constexpr int max_attribute = CU_DEVICE_ATTRIBUTE_MAX;
static_assert(max_attribute <= static_cast<int>(PEGASUS_ATTRIBUTES));

template <class Body> CUresult with_known_device(CUdevice device, void const* out, Body body) {
  return with_driver([&](Channel& channel) {
    if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!valid_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    return body(channel);
  });
}

CUresult copy_uuid(CUuuid* uuid, CUdevice device) {
  return with_known_device(device, uuid, [&](Channel& channel) {
    std::memcpy(uuid->bytes, channel.profile().uuid, sizeof uuid->bytes);
    return CUDA_SUCCESS;
  });
}

struct PciAddress {
  unsigned domain, bus, device;
};

PciAddress pci_address(Channel const& channel) {
  return {static_cast<unsigned>(attribute(channel, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID)),
          static_cast<unsigned>(attribute(channel, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)),
          static_cast<unsigned>(attribute(channel, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID))};
}

} // namespace
} // namespace pegasus::driver

using namespace pegasus::driver;

// Also answers before cuInit. The channel's device is not known yet then; the library is CUDA 13.0.
CUresult cuDriverGetVersion(int* version) {
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUresult status = CUDA_SUCCESS;
  Channel const* const channel = open_channel(status);
  *version = channel == nullptr ? CUDA_VERSION : static_cast<int>(channel->profile().driver_version);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  return with_known_device(0, count, [&](Channel&) {
    *count = 1;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return with_known_device(ordinal, device, [&](Channel&) {
    *device = ordinal;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  return with_known_device(device, name, [&](Channel& channel) {
    if (length <= 0) return CUDA_ERROR_INVALID_VALUE;
    auto const& own = channel.profile().name;
    std::size_t const bytes = std::min(strnlen(own, sizeof own), static_cast<std::size_t>(length) - 1);
    std::memcpy(name, own, bytes);
    name[bytes] = '\0';
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) { return copy_uuid(uuid, device); }
CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) { return copy_uuid(uuid, device); }

// LUIDs exist on Windows only.
CUresult cuDeviceGetLuid(char* luid, unsigned* node_mask, CUdevice device) {
  return with_known_device(device, luid, [&](Channel&) {
    return node_mask == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_NOT_SUPPORTED;
  });
}

CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice device) {
  return with_known_device(device, bytes, [&](Channel& channel) {
    *bytes = channel.profile().memory_bytes;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute number, CUdevice device) {
  return with_known_device(device, value, [&](Channel& channel) {
    if (number <= 0 || number >= max_attribute) return CUDA_ERROR_INVALID_VALUE;
    *value = attribute(channel, number);
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  return with_known_device(device, major, [&](Channel& channel) {
    if (minor == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *major = attribute(channel, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    *minor = attribute(channel, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetProperties(CUdevprop* properties, CUdevice device) {
  return with_known_device(device, properties, [&](Channel& channel) {
    auto const get = [&](CUdevice_attribute number) { return attribute(channel, number); };
    *properties = {get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
                   {get(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X), get(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
                    get(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)},
                   {get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X), get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
                    get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)},
                   get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
                   get(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY),
                   get(CU_DEVICE_ATTRIBUTE_WARP_SIZE),
                   get(CU_DEVICE_ATTRIBUTE_MAX_PITCH),
                   get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK),
                   get(CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
                   get(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT)};
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetPCIBusId(char* text, int length, CUdevice device) {
  return with_known_device(device, text, [&](Channel& channel) {
    PciAddress const pci = pci_address(channel);
    char address[32];
    int const needed =
        std::snprintf(address, sizeof address, "%04X:%02X:%02X.0", pci.domain, pci.bus, pci.device);
    if (length <= needed) return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(text, address, static_cast<std::size_t>(needed) + 1);
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetByPCIBusId(CUdevice* device, char const* text) {
  return with_known_device(0, device, [&](Channel& channel) {
    if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
    PciAddress asked{};
    if (std::sscanf(text, "%x:%x:%x", &asked.domain, &asked.bus, &asked.device) != 3) {
      asked.domain = 0;
      if (std::sscanf(text, "%x:%x", &asked.bus, &asked.device) != 2) return CUDA_ERROR_INVALID_VALUE;
    }
    PciAddress const own = pci_address(channel);
    if (asked.domain != own.domain || asked.bus != own.bus || asked.device != own.device)
      return CUDA_ERROR_INVALID_DEVICE;
    *device = 0;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(std::size_t* elements, CUarray_format, unsigned channels,
                                            CUdevice device) {
  return with_known_device(device, elements, [&](Channel& channel) {
    if (channels != 1 && channels != 2 && channels != 4) return CUDA_ERROR_INVALID_VALUE;
    int const width = attribute(channel, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH);
    *elements = width < 0 ? 0u : static_cast<std::size_t>(width);
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetExecAffinitySupport(int* supported, CUexecAffinityType type, CUdevice device) {
  return with_known_device(device, supported, [&](Channel&) {
    if (type < 0 || type >= CU_EXEC_AFFINITY_TYPE_MAX) return CUDA_ERROR_INVALID_VALUE;
    *supported = 0;
    return CUDA_SUCCESS;
  });
}

// A device is not its own peer, and there is no other device.
CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  return with_known_device(device, can, [&](Channel&) {
    if (!valid_device(peer)) return CUDA_ERROR_INVALID_DEVICE;
    *can = 0;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute number, CUdevice source, CUdevice target) {
  return with_known_device(source, value, [&](Channel&) {
    bool const valid = number >= CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK &&
                       number <= CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED;
    if (!valid) return CUDA_ERROR_INVALID_VALUE;
    (void)target; // "invalid device if the two are the same": they always are
    return CUDA_ERROR_INVALID_DEVICE;
  });
}
