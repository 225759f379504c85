// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu/facts/channel_groups.h"

#include "bench/gpu/facts/report.h"
#include "bench/gpu/facts/system_ioctl.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <sys/ioctl.h>
#include <tuple>
#include <vector>

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

// cl0080.h, cl2080.h, cla06c.h, cl83de.h
constexpr std::uint32_t device_class = 0x0080, subdevice_class = 0x2080, group_class = 0xa06c,
                        debugger_class = 0x83de;
// cla06f.h, clc86f.h and the others: the class of channels has another number in each generation.
constexpr bool is_channel(std::uint32_t object_class) {
  return object_class >= 0x506f && object_class <= 0xffff && (object_class & 0xff) == 0x6f;
}
constexpr bool is_known(std::uint32_t object_class) {
  return object_class == device_class || object_class == subdevice_class || object_class == group_class ||
         object_class == debugger_class || is_channel(object_class);
}

// ctrla06c.h
constexpr std::uint32_t schedule_command = 0xa06c0101, set_time_slice_command = 0xa06c0103;
constexpr std::uint32_t get_time_slice_command = 0xa06c0104, preempt_command = 0xa06c0105;
constexpr std::uint32_t set_interleave_command = 0xa06c0107, get_interleave_command = 0xa06c0108;
struct Preempt {
  std::uint8_t wait = 1, manual_timeout = 1;
  std::uint32_t timeout_us = 500'000; // a second at most
};
static_assert(sizeof(pegasus::facts::channel_groups::Schedule) == 3 && sizeof(Preempt) == 8);

// ctrla06fgpfifo.h
constexpr std::uint32_t schedule_channel_command = 0xa06f0103, restart_run_list_command = 0xa06f0111;
struct RestartRunList {
  std::uint8_t force = 1, skip_wait = 0;
};
static_assert(sizeof(RestartRunList) == 2);

// ctrl2080fifo.h
constexpr std::uint32_t disable_channels_command = 0x2080110b;
struct DisableChannels {
  std::uint8_t disable = 0;
  std::uint32_t count = 0;
  std::uint8_t only_scheduling = 0, drop_queued = 0;
  std::uint64_t event = 0; // the kernel's alone
  std::array<std::uint32_t, 64> clients{}, channels{};
};
static_assert(sizeof(DisableChannels) == 536);

// ctrl83dedebug.h
constexpr std::uint32_t suspend_context_command = 0x83de0317, resume_context_command = 0x83de0318;
struct SuspendContext {
  std::uint32_t wait_for_event = 0, resident_channel = 0; // both are answers
};
struct Nothing {}; // the command has no parameters

struct Object {
  int fd;
  std::uint32_t client, parent, object, object_class;
};
using Objects = std::vector<Object>;

struct Seen {
  std::mutex mutex; // the driver has threads of its own
  Objects objects;
  std::size_t calls = 0;
};
Seen& seen() {
  static Seen all;
  return all;
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

std::uint32_t call(Object const& object, std::uint32_t command, void* parameters, std::size_t bytes) {
  ControlObject asked{.client = object.client,
                      .object = object.object,
                      .command = command,
                      .flags = 0,
                      .parameters = reinterpret_cast<std::uintptr_t>(parameters),
                      .parameter_bytes = static_cast<std::uint32_t>(bytes),
                      .status = 0};
  if (pegasus::facts::system_ioctl(object.fd, _IOWR(magic, control_object, ControlObject), &asked) != 0)
    return 0xffff'0000 + static_cast<std::uint32_t>(errno);
  return asked.status;
}

template <class Parameters>
std::uint32_t control(Object const& object, std::uint32_t command, Parameters& parameters) {
  return call(object, command, &parameters, sizeof parameters);
}
std::uint32_t control(Object const& object, std::uint32_t command, Nothing&) {
  return call(object, command, nullptr, 0);
}

Objects all_now() {
  std::scoped_lock const lock(seen().mutex);
  return seen().objects;
}

template <class Wanted> Objects those(Objects objects, Wanted const& wanted) {
  std::erase_if(objects, [&](Object const& object) { return !wanted(object); });
  return objects;
}
Objects of_class(std::uint32_t object_class) {
  return those(all_now(), [=](Object const& object) { return object.object_class == object_class; });
}
Objects groups_now() { return of_class(group_class); }
Objects channels_now() {
  return those(all_now(), [](Object const& object) { return is_channel(object.object_class); });
}

Object const* find(Objects const& objects, std::uint32_t client, std::uint32_t object) {
  auto const found = std::ranges::find_if(
      objects, [=](Object const& one) { return one.client == client && one.object == object; });
  return found == objects.end() ? nullptr : &*found;
}

// The subdevice of the device that the object is below; if that is not known, one of its client's.
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

} // namespace

extern "C" int ioctl(int fd, unsigned long request, ...) noexcept {
  va_list list;
  va_start(list, request);
  void* const argument = va_arg(list, void*);
  va_end(list);
  int const result = pegasus::facts::system_ioctl(fd, request, argument);
  int const error = errno;
  if (result == 0 && _IOC_TYPE(request) == magic && argument != nullptr) look(fd, request, argument);
  errno = error;
  return result;
}

namespace pegasus::facts::channel_groups {
namespace {

template <class Parameters>
void add(Outcome& outcome, std::string const& what, Object const& object, std::uint32_t command,
         Parameters parameters) {
  double const begin = now_us();
  std::uint32_t const status = control(object, command, parameters);
  double const took = now_us() - begin;
  outcome += {status, took, fmt::format("{:x} {} {:#x} in {:.0f} us", object.object, what, status, took)};
}

template <class Parameters>
Outcome for_each(Objects const& objects, std::string const& what, std::uint32_t command,
                 Parameters const& parameters) {
  Outcome outcome;
  for (Object const& object : objects)
    add(outcome, what, object, command, parameters);
  return outcome;
}

std::string name_of(Schedule how) {
  return fmt::format("{}{}{}", how.enable != 0 ? "enabled" : "disabled",
                     how.skip_submit != 0 ? ", run list left as it is," : "",
                     how.skip_enable != 0 ? ", only on the run list," : "");
}

template <class Value> std::optional<Value> of_first_group(std::uint32_t command) {
  Objects const groups = groups_now();
  Value value = 0;
  if (groups.empty() || control(groups.front(), command, value) != 0) return std::nullopt;
  return value;
}

} // namespace

Outcome& operator+=(Outcome& first, Outcome const& then) {
  first.status = std::max(first.status, then.status);
  first.took_us += then.took_us;
  if (!first.text.empty() && !then.text.empty()) first.text += ", ";
  first.text += then.text;
  return first;
}

std::size_t count() { return groups_now().size(); }
std::size_t channels() { return channels_now().size(); }
std::size_t debuggers() { return of_class(debugger_class).size(); }

std::string list() {
  Objects const objects = all_now();
  std::string text;
  for (Object const& group : groups_now()) {
    Object const* const subdevice = subdevice_of(objects, group);
    text +=
        fmt::format("{}client {:x} device {:x} subdevice {:x} group {:x}:", text.empty() ? "" : "; ",
                    group.client, group.parent, subdevice != nullptr ? subdevice->object : 0, group.object);
    for (Object const& one : objects)
      if (one.client == group.client && one.parent == group.object && is_channel(one.object_class))
        text += fmt::format(" {:x} ({:x})", one.object, one.object_class);
  }
  return text;
}

std::size_t calls_seen() {
  std::scoped_lock const lock(seen().mutex);
  return seen().calls;
}

Outcome schedule_groups(Schedule how) { return for_each(groups_now(), name_of(how), schedule_command, how); }
Outcome schedule_channels(Schedule how) {
  return for_each(channels_now(), name_of(how), schedule_channel_command, how);
}
Outcome preempt_groups() { return for_each(groups_now(), "preempted", preempt_command, Preempt{}); }

Outcome suspend() {
  Outcome outcome = schedule_groups({.enable = 0});
  outcome += preempt_groups();
  return outcome;
}
Outcome resume() { return schedule_groups({.enable = 1}); }

Outcome set_channels(Channels state) {
  Objects const objects = all_now();
  Outcome outcome;
  std::map<std::tuple<std::uint32_t, std::uint32_t>, Objects> by_subdevice;
  for (Object const& channel : channels_now()) {
    if (Object const* const subdevice = subdevice_of(objects, channel))
      by_subdevice[{subdevice->client, subdevice->object}].push_back(channel);
    else
      outcome += {0xffff'0000 + ENODEV, 0, fmt::format("{:x} has no subdevice", channel.object)};
  }
  for (auto const& [subdevice, channels] : by_subdevice)
    for (std::size_t done = 0; done < channels.size();) {
      DisableChannels parameters{.disable = state == Channels::enabled ? std::uint8_t{0} : std::uint8_t{1},
                                 .only_scheduling = state == Channels::scheduling_disabled ? std::uint8_t{1}
                                                                                           : std::uint8_t{0}};
      for (; done < channels.size() && parameters.count < parameters.channels.size();
           ++done, ++parameters.count) {
        parameters.clients[parameters.count] = channels[done].client;
        parameters.channels[parameters.count] = channels[done].object;
      }
      auto const& [client, object] = subdevice;
      add(outcome,
          fmt::format("{} channels {}", parameters.count, parameters.disable != 0 ? "disabled" : "enabled"),
          *find(objects, client, object), disable_channels_command, parameters);
    }
  return outcome;
}

Outcome restart_run_lists() {
  Objects firsts; // a channel of each group
  for (Object const& group : groups_now())
    for (Object const& channel : channels_now())
      if (channel.client == group.client && channel.parent == group.object) {
        firsts.push_back(channel);
        break;
      }
  return for_each(firsts, "its run list restarted", restart_run_list_command, RestartRunList{});
}

Outcome suspend_contexts() {
  return for_each(of_class(debugger_class), "suspended", suspend_context_command, SuspendContext{});
}
Outcome resume_contexts() {
  return for_each(of_class(debugger_class), "resumed", resume_context_command, Nothing{});
}

std::optional<std::uint64_t> time_slice_us() { return of_first_group<std::uint64_t>(get_time_slice_command); }
Outcome set_time_slice(std::uint64_t us) {
  return for_each(groups_now(), "time slice", set_time_slice_command, us);
}
std::optional<std::uint32_t> interleave_level() {
  return of_first_group<std::uint32_t>(get_interleave_command);
}
Outcome set_interleave_level(std::uint32_t level) {
  return for_each(groups_now(), "interleave level", set_interleave_command, level);
}

} // namespace pegasus::facts::channel_groups
