// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/freezer.h"

#include "control/quantity.h"
#include "domA/daemon/in_time.h"

#include <fmt/core.h>
#include <memory>
#include <optional>
#include <spdlog/spdlog.h>
#include <utility>
#include <vector>

namespace pegasus::daemon {

struct Freezer::Moved {
  std::uint64_t bytes = 0;
  std::size_t tasks = 0;
  std::size_t failed = 0;  // of them
  std::size_t unknown = 0; // of them, those whose worker is of another release
  bool no_room = false;    // one failed for lack of memory

  void count(gate::Answer const& answer) {
    switch (answer.status) {
    case gate::OrderStatus::done:
      bytes += answer.amount;
      return;
    case gate::OrderStatus::unknown:
      ++unknown;
      return;
    case gate::OrderStatus::failed:
      ++failed;
      no_room = no_room || answer.amount == static_cast<std::uint64_t>(device::Status::out_of_memory);
    }
  }
  // Empty if nothing has moved, and nothing was to.
  [[nodiscard]] std::string evicted() const {
    std::string text;
    if (bytes > 0)
      text = fmt::format("{} of accelerator memory went to host memory", control::text_of_size(bytes));
    if (failed + unknown > 0)
      text += fmt::format("{}{} of {} kept accelerator memory, {}", text.empty() ? "" : "; ",
                          failed + unknown, control::counted(tasks, "task"),
                          no_room ? "for which this machine has no room" : "which cannot be moved there");
    return text;
  }
};

namespace {

constexpr char const* goes_on =
    "its programs wait, but for a kernel or a call on the host that goes on: its memory follows";
constexpr char const* on_the_way = "its memory is on the way back to the accelerator";

} // namespace

void Freezer::freeze(Domain& domain, Then then) {
  ++domain.freezes;
  set(domain, true);
  auto const tell = in_time<Outcome>(io_, std::move(then), std::string(goes_on));
  move(domain, gate::OrderKind::evict, [tell](Moved const& moved) { tell(moved.evicted()); });
}

void Freezer::thaw(Domain& domain, Then then) {
  if (!domain.frozen)
    return then(control::not_as_things_are(fmt::format("domain {} is not frozen", domain.name)));
  auto const tell = in_time<Outcome>(io_, std::move(then), std::string(on_the_way));
  move(domain, gate::OrderKind::restore,
       [this, tell, id = domain.id, request = ++domain.freezes](Moved const& moved) {
         tell(thawed(id, request, moved));
       });
}

Freezer::Outcome Freezer::thawed(DomainId id, std::uint32_t request, Moved const& moved) {
  Domain* const domain = find(id);
  if (domain == nullptr || domain->freezes != request)
    return control::not_as_things_are("the domain was frozen again, or removed, meanwhile");
  if (moved.failed == 0) {
    set(*domain, false);
    return std::string();
  }
  move(*domain, gate::OrderKind::evict, [](Moved const&) {});
  return control::not_as_things_are(fmt::format(
      "domain {} stays frozen: {}", domain->name,
      moved.no_room
          ? "its accelerator has no room for its memory now. End or freeze programs of other domains, and "
            "thaw it again"
          : "its accelerator failed to take its memory back. End its programs"));
}

Domain* Freezer::find(DomainId id) {
  for (auto& [name, domain] : domains_)
    if (domain.id == id) return &domain;
  return nullptr;
}

void Freezer::set(Domain& domain, bool frozen) {
  if (domain.frozen == frozen) return;
  domain.frozen = frozen;
  domains_.apply(domain);
  spdlog::info("domain {} is {}", domain.name, frozen ? "frozen" : "thawed");
}

void Freezer::move(Domain const& domain, gate::OrderKind kind, std::function<void(Moved const&)> then) {
  std::vector<TaskId> tasks;
  sessions_.for_each_of(domain, [&](Task const& task) { tasks.push_back(task.id); });
  auto const moved = std::make_shared<Moved>(Moved{.tasks = tasks.size()});
  if (tasks.empty()) return then(*moved);
  auto const left = std::make_shared<std::size_t>(tasks.size());
  for (TaskId const task : tasks)
    sessions_.orders().give(*domain.accelerator, task, kind, [=](std::optional<gate::Answer> const& answer) {
      if (answer) moved->count(*answer);
      if (--*left == 0) then(*moved);
    });
}

} // namespace pegasus::daemon
