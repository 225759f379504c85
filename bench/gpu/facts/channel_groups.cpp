// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu/facts/channel_groups.h"

#include "bench/gpu/facts/driver_objects.h"
#include "bench/gpu/facts/report.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace pegasus::facts::channel_groups {
namespace {

using driver_objects::debugger_class;
using driver_objects::group_class;
using driver_objects::is_channel;
using driver_objects::Object;
using driver_objects::Objects;
using driver_objects::of_class;

// ctrla06c.h
constexpr std::uint32_t schedule_command = 0xa06c0101, set_time_slice_command = 0xa06c0103;
constexpr std::uint32_t get_time_slice_command = 0xa06c0104, preempt_command = 0xa06c0105;
constexpr std::uint32_t set_interleave_command = 0xa06c0107, get_interleave_command = 0xa06c0108;
struct Preempt {
  std::uint8_t wait = 1, manual_timeout = 1;
  std::uint32_t timeout_us = 500'000; // a second at most
};
static_assert(sizeof(Schedule) == 3 && sizeof(Preempt) == 8);

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

template <class Parameters>
std::uint32_t control(Object const& object, std::uint32_t command, Parameters& parameters) {
  return driver_objects::control(object, command, &parameters, sizeof parameters);
}
std::uint32_t control(Object const& object, std::uint32_t command, Nothing&) {
  return driver_objects::control(object, command, nullptr, 0);
}

Objects groups_now() { return of_class(group_class); }

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
std::size_t channels() { return driver_objects::channels().size(); }
std::size_t debuggers() { return of_class(debugger_class).size(); }

std::string list() {
  Objects const objects = driver_objects::all();
  std::string text;
  for (Object const& group : groups_now()) {
    Object const* const subdevice = driver_objects::subdevice_of(objects, group);
    text +=
        fmt::format("{}client {:x} device {:x} subdevice {:x} group {:x}:", text.empty() ? "" : "; ",
                    group.client, group.parent, subdevice != nullptr ? subdevice->object : 0, group.object);
    for (Object const& one : objects)
      if (one.client == group.client && one.parent == group.object && is_channel(one.object_class))
        text += fmt::format(" {:x} ({:x})", one.object, one.object_class);
  }
  return text;
}

Outcome schedule_groups(Schedule how) { return for_each(groups_now(), name_of(how), schedule_command, how); }
Outcome schedule_channels(Schedule how) {
  return for_each(driver_objects::channels(), name_of(how), schedule_channel_command, how);
}
Outcome preempt_groups() { return for_each(groups_now(), "preempted", preempt_command, Preempt{}); }

Outcome suspend() {
  Outcome outcome = schedule_groups({.enable = 0});
  outcome += preempt_groups();
  return outcome;
}
Outcome resume() { return schedule_groups({.enable = 1}); }

Outcome set_channels(Channels state) {
  Objects const objects = driver_objects::all();
  Outcome outcome;
  std::map<std::tuple<std::uint32_t, std::uint32_t>, Objects> by_subdevice;
  for (Object const& channel : driver_objects::channels()) {
    if (Object const* const subdevice = driver_objects::subdevice_of(objects, channel))
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
          *driver_objects::find(objects, client, object), disable_channels_command, parameters);
    }
  return outcome;
}

Outcome restart_run_lists() {
  Objects firsts; // a channel of each group
  for (Object const& group : groups_now())
    for (Object const& channel : driver_objects::channels())
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
