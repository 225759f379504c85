// SPDX-License-Identifier: Apache-2.0
// The objects of this process in NVIDIA's kernel module, as far as they lead to its channels. NVIDIA's driver library
// makes them with the C library's ioctl, and this program defines that function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pegasus::facts::driver_objects {

// cl0080.h, cl2080.h, cla06c.h, cl83de.h
inline constexpr std::uint32_t device_class = 0x0080, subdevice_class = 0x2080, group_class = 0xa06c,
                               debugger_class = 0x83de;
// cla06f.h, clc86f.h and the others: the class of channels has another number in each generation.
constexpr bool is_channel(std::uint32_t object_class) {
  return object_class >= 0x506f && object_class <= 0xffff && (object_class & 0xff) == 0x6f;
}

struct Object {
  int fd;
  std::uint32_t client, parent, object, object_class;
};
using Objects = std::vector<Object>;

// All that there are now, and those of one class.
[[nodiscard]] Objects all();
[[nodiscard]] Objects of_class(std::uint32_t object_class);
[[nodiscard]] Objects channels();
[[nodiscard]] Object const* find(Objects const& objects, std::uint32_t client, std::uint32_t object);
// The subdevice of the device that the object is below; if that is not known, one of its client's.
[[nodiscard]] Object const* subdevice_of(Objects const& objects, Object const& object);

// How many ioctls the driver's library made to its kernel module through this program.
[[nodiscard]] std::size_t calls_seen();

// Returns the NV_STATUS, or 0xffff0000 and the errno if the call itself failed.
std::uint32_t control(Object const& object, std::uint32_t command, void* parameters, std::size_t bytes);

} // namespace pegasus::facts::driver_objects
