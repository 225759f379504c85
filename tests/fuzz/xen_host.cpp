// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/xen_host.h"

#include "domA/guests/xen/testing/fake_guest.h"
#include "domA/guests/xen/testing/fake_sharing.h"
#include "domA/guests/xen/testing/fake_store.h"
#include "tests/fuzz/require.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <unistd.h>

namespace pegasus::fuzz {
namespace {

using xen::testing::back_of, xen::testing::domain_of;
using xen::testing::FakeEventChannels;
using xen::testing::FakeGrants;

constexpr uid_t first_user = 0x80000000;
constexpr std::string_view of_guest = "guest ";

bool is_valid(control::Node const& node, std::uint64_t value) {
  return (value >= node.least && value <= node.most) || value == node.get({});
}

// The value that the operator chose; nullopt if it is missing or malformed.
std::optional<std::uint64_t> chosen(std::uint32_t guest, std::uint32_t number, control::Node const& node) {
  auto const value = number_at(back_of(guest, number) + '/' + std::string(node.name));
  return value && is_valid(node, *value) ? value : std::nullopt;
}

template <class Use> void for_each_node(Use use) {
  for (control::Setting const& setting : control::all_settings())
    if (!setting.node.name.empty()) use(setting.node);
}

bool is_share(control::Node const& node) {
  return node.name == "slo-permille" || node.name == "cap-permille";
}

// True unless all that the toolstack wrote is right.
bool has_a_problem(std::uint32_t guest) {
  auto const devices = devices_of(guest);
  if (devices.size() != 1) return true;
  bool problem = false;
  control::Settings settings;
  for_each_node([&](control::Node const& node) {
    auto const value = chosen(guest, devices.front(), node);
    problem = problem || !value;
    if (value) node.set(settings, *value);
  });
  return problem || control::contradiction(settings).has_value();
}

} // namespace

void XenHost::set_guest(std::uint32_t guest, std::string const& name, control::Settings const& settings) {
  rules_.touches(guest);
  require(name == xen::testing::FakeStore::get().read(domain_of(guest) + "/name").value_or(""));
  require(!control::contradiction(settings));
  auto const devices = devices_of(guest);
  for_each_node([&](control::Node const& node) {
    require(is_valid(node, node.get(settings)));
    if (devices.size() != 1 || is_share(node)) return;
    auto const value = chosen(guest, devices.front(), node);
    require(!value || *value == node.get(settings));
  });
  guests_[guest] = settings;
}

void XenHost::forget_guest(std::uint32_t guest) {
  rules_.touches(guest);
  for (auto const& [number, task] : tasks_)
    require(task.guest != guest || task.left || task.closed);
  guests_.erase(guest);
  reports_.erase(guest);
}

// Each once, until the toolstack changes something again: a guest cannot fill the log.
void XenHost::report(std::string const& problem) {
  require(problem.starts_with(of_guest) && is_printable(problem));
  std::uint32_t guest = 0;
  std::from_chars(problem.data() + of_guest.size(), problem.data() + problem.size(), guest);
  rules_.touches(guest);
  require(rules_.had_several(guest) || has_a_problem(guest));
  require(reports_[guest].insert(problem).second);
}

tl::expected<XenHost::Task, std::string> XenHost::open(std::uint32_t guest,
                                                       guests::ConnectRequest const& connect_request,
                                                       std::shared_ptr<guests::GuestLink> link) const {
  Task task{.guest = guest,
            .link = std::move(link),
            .pages = PEGASUS_XEN_TOTALS_PAGES,
            .totals = connect_request.kind == PEGASUS_CONNECT_TOTALS};
  if (task.totals) {
    auto const totals = task.link->make_totals();
    if (!totals) return tl::unexpected(totals.error());
    **totals = {.magic = PEGASUS_TOTALS_MAGIC};
    return task;
  }
  ring::Geometry const geometry = ring::geometry_for(connect_request.slots, connect_request.arena_bytes);
  auto const source = task.link->make_channel(geometry, 0);
  if (!source) return tl::unexpected(source.error());
  require(source->kind == guests::ChannelKind::xen && source->domain == guest);
  task.pages = geometry.total_bytes / PEGASUS_XEN_PAGE;
  std::vector<std::uint32_t> references(task.pages + 1);
  ssize_t const read = pread(source->fd, references.data(), references.size() * sizeof references[0], 0);
  require(read == static_cast<ssize_t>(task.pages * sizeof references[0]));
  references.pop_back();
  std::ranges::sort(references);
  require(std::ranges::adjacent_find(references) == references.end());
  return task;
}

tl::expected<pegasus_connect_reply, guests::Rejection>
XenHost::admit(std::uint32_t guest, guests::ConnectRequest const& connect_request, guests::Peer const& peer,
               std::shared_ptr<guests::GuestLink> link) {
  rules_.touches(guest);
  require(knows(guest) && peer.user == first_user + guest && is_printable(connect_request.program));
  if (guest != spared_ && answer_ == Answer::refuse)
    return tl::unexpected(guests::Rejection{ENOSPC, "there is no room"});
  if (guest != spared_ && answer_ == Answer::ask_again)
    return tl::unexpected(guests::Rejection{PEGASUS_ASK_AGAIN, "the domain waits"});
  auto task = open(guest, connect_request, std::move(link));
  if (!task) return tl::unexpected(guests::Rejection{ENOMEM, task.error()});
  std::uint32_t number = 0;
  while (tasks_.contains(number))
    ++number;
  tasks_.emplace(number, std::move(*task));
  std::size_t count = 0, pages = 0;
  for (auto const& [id, each] : tasks_)
    if (each.guest == guest) ++count, pages += each.pages;
  require(count <= limits_.tasks && pages <= limits_.pages);
  pegasus_connect_reply connect_reply = guests::make_connect_reply();
  connect_reply.task = number;
  return connect_reply;
}

void XenHost::guest_left(std::uint32_t task) {
  auto const found = tasks_.find(task);
  require(found != tasks_.end() && !found->second.closed && !std::exchange(found->second.left, true));
  rules_.touches(found->second.guest);
}

void XenHost::end_task(std::map<std::uint32_t, Task>::iterator task, bool keep_link) {
  rules_.allow_guest(task->second.guest);
  if (!std::exchange(task->second.closed, true))
    task->second.link->close(task->second.left ? PEGASUS_CLOSE_GUEST_LEFT : PEGASUS_CLOSE_WORKER);
  if (!keep_link) tasks_.erase(task);
  rules_.allow_none();
}

void XenHost::end_worker(std::uint32_t guest, std::size_t which, bool keep_link) {
  std::vector<std::uint32_t> numbers;
  for (auto const& [number, task] : tasks_)
    if (task.guest == guest) numbers.push_back(number);
  if (!numbers.empty()) end_task(tasks_.find(numbers[which % numbers.size()]), keep_link);
}

void XenHost::end_workers(Of of) {
  for (auto task = tasks_.begin(); task != tasks_.end();) {
    auto const next = std::next(task);
    if (of == Of::any || task->second.left || task->second.closed) end_task(task, false);
    task = next;
  }
}

void XenHost::end() {
  end_workers(Of::any);
  guests_.clear();
  reports_.clear();
}

std::size_t XenHost::tasks(std::uint32_t guest) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      tasks_, [&](auto const& each) { return each.second.guest == guest && !each.second.closed; }));
}

void XenHost::check(std::uint32_t guest) const {
  std::size_t pages = 0, ports = 0;
  for (auto const& [number, task] : tasks_) {
    if (task.guest != guest) continue;
    ++ports;
    if (!task.closed) pages += task.totals ? PEGASUS_XEN_TOTALS_PAGES - 1 : 1; // the header, and the totals
  }
  require(FakeGrants::get().mapped(guest) == pages);
  require(FakeEventChannels::get().bound(guest) == ports);
  require(FakeEventChannels::get().misused() == 0);
}

} // namespace pegasus::fuzz
