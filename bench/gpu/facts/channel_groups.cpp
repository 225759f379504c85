// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu/facts/channel_groups.h"

#include "bench/gpu/facts/report.h"
#include "bench/gpu/facts/system_ioctl.h"

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <fmt/format.h>
#include <mutex>
#include <sys/ioctl.h>
#include <vector>

namespace {

// nvos.h, nv_escape.h
constexpr unsigned magic = 'F';
constexpr unsigned free_object = 0x29, control_object = 0x2a, allocate_object = 0x2b;
constexpr std::uint32_t channel_group_class = 0xa06c;

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

// ctrla06c.h
constexpr std::uint32_t schedule_command = 0xa06c0101, set_time_slice_command = 0xa06c0103;
constexpr std::uint32_t get_time_slice_command = 0xa06c0104, preempt_command = 0xa06c0105;
struct Schedule {
  std::uint8_t enable = 0, skip_submit = 0, skip_enable = 0;
};
struct Preempt {
  std::uint8_t wait = 1, manual_timeout = 1;
  std::uint32_t timeout_us = 500'000; // a second at most
};
static_assert(sizeof(Schedule) == 3 && sizeof(Preempt) == 8);

struct Group {
  int fd;
  std::uint32_t client, object;
};

struct Seen {
  std::mutex mutex; // the driver has threads of its own
  std::vector<Group> groups;
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

void look(int fd, unsigned long request, void const* argument) {
  std::scoped_lock const lock(seen().mutex);
  ++seen().calls;
  auto& groups = seen().groups;
  if (_IOC_NR(request) == allocate_object) {
    auto const& made = *static_cast<AllocateObject const*>(argument);
    if (made.object_class == channel_group_class && allocation_status(argument, _IOC_SIZE(request)) == 0)
      groups.push_back({fd, made.client, made.object});
  } else if (_IOC_NR(request) == free_object) {
    auto const& gone = *static_cast<FreeObject const*>(argument);
    std::erase_if(groups, [&](Group const& group) {
      return group.client == gone.client && (group.object == gone.object || gone.object == gone.client);
    });
  }
}

template <class Parameters>
std::uint32_t control(Group const& group, std::uint32_t command, Parameters& parameters) {
  ControlObject call{.client = group.client,
                     .object = group.object,
                     .command = command,
                     .flags = 0,
                     .parameters = reinterpret_cast<std::uintptr_t>(&parameters),
                     .parameter_bytes = sizeof parameters,
                     .status = 0};
  if (pegasus::facts::system_ioctl(group.fd, _IOWR(magic, control_object, ControlObject), &call) != 0)
    return 0xffff'0000 + static_cast<std::uint32_t>(errno);
  return call.status;
}

std::vector<Group> groups_now() {
  std::scoped_lock const lock(seen().mutex);
  return seen().groups;
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
void add(Outcome& outcome, char const* what, Group const& group, std::uint32_t command,
         Parameters parameters) {
  double const begin = now_us();
  std::uint32_t const status = control(group, command, parameters);
  outcome.status = std::max(outcome.status, status);
  outcome.text += fmt::format("{}{:x} {} {:#x} in {:.0f} us", outcome.text.empty() ? "" : ", ", group.object,
                              what, status, now_us() - begin);
}

Outcome timed(Outcome (*work)(std::vector<Group> const&)) {
  std::vector<Group> const groups = groups_now();
  double const begin = now_us();
  Outcome outcome = work(groups);
  outcome.took_us = now_us() - begin;
  return outcome;
}

} // namespace

std::size_t count() { return groups_now().size(); }

std::size_t calls_seen() {
  std::scoped_lock const lock(seen().mutex);
  return seen().calls;
}

Outcome suspend() {
  return timed([](std::vector<Group> const& groups) {
    Outcome outcome;
    for (Group const& group : groups)
      add(outcome, "disabled", group, schedule_command, Schedule{});
    for (Group const& group : groups)
      add(outcome, "preempted", group, preempt_command, Preempt{});
    return outcome;
  });
}

Outcome resume() {
  return timed([](std::vector<Group> const& groups) {
    Outcome outcome;
    for (Group const& group : groups)
      add(outcome, "enabled", group, schedule_command, Schedule{.enable = 1});
    return outcome;
  });
}

std::optional<std::uint64_t> time_slice_us() {
  std::vector<Group> const groups = groups_now();
  std::uint64_t us = 0;
  if (groups.empty() || control(groups.front(), get_time_slice_command, us) != 0) return std::nullopt;
  return us;
}

Outcome set_time_slice(std::uint64_t us) {
  Outcome outcome;
  double const begin = now_us();
  for (Group const& group : groups_now())
    add(outcome, "time slice", group, set_time_slice_command, us);
  outcome.took_us = now_us() - begin;
  return outcome;
}

} // namespace pegasus::facts::channel_groups
