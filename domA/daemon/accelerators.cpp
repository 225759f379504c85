// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/accelerators.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <iterator>
#include <limits>

namespace pegasus::daemon {

Accelerators::Accelerators(boost::asio::io_context& io, Options const& options, Events events)
    : io_(io), options_(options), events_(std::move(events)), policy_(options.policy),
      cpu_watch_(scheduling_.io(), {.on_device =
                                        [this] {
                                          std::vector<scheduler::Caller> callers;
                                          for (auto const& accelerator : all_)
                                            std::ranges::copy(accelerator->seen().on_device(),
                                                              std::back_inserter(callers));
                                          return callers;
                                        },
                                    .now = [this] { return now(); }}) {}

tl::expected<void, std::string> Accelerators::add(FoundAccelerator found) {
  auto const index = static_cast<std::uint32_t>(all_.size());
  Nanos const switch_cost = found.switch_cost;
  Nanos const host_call = options_.module_load.count() > 0 ? Nanos(options_.module_load) : Nanos::max();
  auto accelerator = Accelerator::make(
      scheduling_,
      {.index = index,
       .found = std::move(found),
       .scheduling = {.dispatcher = {.policy = policy_.policy,
                                     .tunables = policy_.tunables,
                                     .runaway = options_.runaway,
                                     .host_call = host_call,
                                     .switch_cost = switch_cost},
                      .cpu_watch = cpu_watch_,
                      .give_up = [this](TaskId task) { post(io_, [=, this] { events_.give_up(task); }); },
                      .answered =
                          [this](scheduler::Answered const& answered) {
                            post(io_, [=, this] { events_.answered(answered); });
                          },
                      .started = started_}});
  if (!accelerator) return tl::unexpected(accelerator.error());
  all_.push_back(std::move(*accelerator));
  return {};
}

void Accelerators::stop() { scheduling_.stop(); }

std::uint64_t Accelerators::max_memory() const {
  std::uint64_t largest = 0;
  for (auto const& accelerator : all_)
    largest = std::max(largest, accelerator->memory_bytes());
  return largest;
}

std::uint64_t Accelerators::min_context() const {
  std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();
  for (auto const& accelerator : all_)
    smallest = std::min(smallest, accelerator->found().device.context_bytes);
  return smallest;
}

void Accelerators::use(policies::Choice const& policy) {
  scheduling_([&] {
    for (auto const& accelerator : all_)
      accelerator->scheduler().use(policy);
  });
  policy_ = policy;
  count_since("the policy was switched");
}

void Accelerators::count_since(std::string_view what) {
  scheduling_([this] {
    for (auto const& accelerator : all_)
      accelerator->scheduler().reset_statistics();
    cpu_watch_.reset_statistics();
  });
  counting_since_ = what;
}

} // namespace pegasus::daemon
