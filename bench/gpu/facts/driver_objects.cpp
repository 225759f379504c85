// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu/facts/driver_objects.h"

#include "bench/gpu/facts/system_ioctl.h"

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <mutex>
#include <sys/ioctl.h>

namespace pegasus::facts::driver_objects {
namespace {

// nvos.h, nv_escape.h
constexpr unsigned magic = 'F';
constexpr unsigned free_object = 0x29, control_object = 0x2a, allocate_object = 0x2b;

struct FreeObject {
  std::uint32_t client, parent, object, status;
};
struct AllocateObject { // what its two forms have in common
  std::uint32_t client, parent, object, object_class;
};
struct ControlObject {
  std::uint32_t client, object, command, flags;
  std::uint64_t parameters;
  std::uint32_t parameter_bytes, status;
};
static_assert(sizeof(ControlObject) == 32);

constexpr bool is_known(std::uint32_t object_class) {
  return object_class == device_class || object_class == subdevice_class || object_class == group_class ||
         object_class == debugger_class || is_channel(object_class);
}

struct Seen {
  std::mutex mutex; // the driver has threads of its own
  Objects objects;
  std::size_t calls = 0;
};
Seen& seen() {
  static Seen objects;
  return objects;
}

// The status that the kernel module wrote behind an AllocateObject, by the size of its form.
std::uint32_t allocation_status(void const* argument, unsigned bytes) {
  auto const* const words = static_cast<std::uint32_t const*>(argument);
  return bytes == 32 ? words[7] : words[10];
}

// An object ends with all that is below it; a client's own number is that of its root.
void forget(Objects& objects, std::uint32_t client, std::uint32_t object) {
  std::vector<std::uint32_t> below;
  std::erase_if(objects, [&](Object const& one) {
    if (one.client != client) return false;
    if (one.parent == object && one.object != object) below.push_back(one.object);
    return one.object == object || one.parent == object || object == client;
  });
  for (std::uint32_t const child : below)
    forget(objects, client, child);
}

void look(int fd, unsigned long request, void const* argument) {
  std::scoped_lock const lock(seen().mutex);
  ++seen().calls;
  if (_IOC_NR(request) == allocate_object) {
    auto const& made = *static_cast<AllocateObject const*>(argument);
    if (is_known(made.object_class) && allocation_status(argument, _IOC_SIZE(request)) == 0)
      seen().objects.push_back({fd, made.client, made.parent, made.object, made.object_class});
  } else if (_IOC_NR(request) == free_object) {
    auto const& gone = *static_cast<FreeObject const*>(argument);
    forget(seen().objects, gone.client, gone.object);
  }
}

template <class Wanted> Objects those(Objects objects, Wanted const& wanted) {
  std::erase_if(objects, [&](Object const& object) { return !wanted(object); });
  return objects;
}

} // namespace

std::uint32_t control(Object const& object, std::uint32_t command, void* parameters, std::size_t bytes) {
  ControlObject asked{.client = object.client,
                      .object = object.object,
                      .command = command,
                      .flags = 0,
                      .parameters = reinterpret_cast<std::uintptr_t>(parameters),
                      .parameter_bytes = static_cast<std::uint32_t>(bytes),
                      .status = 0};
  if (system_ioctl(object.fd, _IOWR(magic, control_object, ControlObject), &asked) != 0)
    return 0xffff'0000 + static_cast<std::uint32_t>(errno);
  return asked.status;
}

Objects all() {
  std::scoped_lock const lock(seen().mutex);
  return seen().objects;
}

Objects of_class(std::uint32_t object_class) {
  return those(all(), [=](Object const& object) { return object.object_class == object_class; });
}
Objects channels() {
  return those(all(), [](Object const& object) { return is_channel(object.object_class); });
}

Object const* find(Objects const& objects, std::uint32_t client, std::uint32_t object) {
  auto const found = std::ranges::find_if(
      objects, [=](Object const& one) { return one.client == client && one.object == object; });
  return found == objects.end() ? nullptr : &*found;
}

Object const* subdevice_of(Objects const& objects, Object const& object) {
  Object const* device = &object;
  while (device != nullptr && device->object_class != device_class)
    device = find(objects, device->client, device->parent);
  auto const found = std::ranges::find_if(objects, [&](Object const& one) {
    return one.object_class == subdevice_class && one.client == object.client &&
           (device == nullptr || one.parent == device->object);
  });
  return found == objects.end() ? nullptr : &*found;
}

std::size_t calls_seen() {
  std::scoped_lock const lock(seen().mutex);
  return seen().calls;
}

} // namespace pegasus::facts::driver_objects

extern "C" int ioctl(int fd, unsigned long request, ...) noexcept {
  using namespace pegasus::facts;
  va_list list;
  va_start(list, request);
  void* const argument = va_arg(list, void*);
  va_end(list);
  int const result = system_ioctl(fd, request, argument);
  int const error = errno;
  if (result == 0 && _IOC_TYPE(request) == driver_objects::magic && argument != nullptr)
    driver_objects::look(fd, request, argument);
  errno = error;
  return result;
}
