// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/xen/device.h"

#include "control/domain_name.h"
#include "frontend/protocol/xen.h"

#include <algorithm>
#include <fmt/core.h>

namespace pegasus::xen {
namespace {

// Tasks are counted per user. A guest's tasks count as those of a user id that no process of Dom0 has.
constexpr uid_t guest_user_base = 0x80000000;

} // namespace

Device::Device(Backend& backend, GuestsHost& host, std::uint32_t guest, std::uint32_t number,
               std::string base, std::function<void()> ended)
    : backend_(backend), host_(host), ended_(std::move(ended)), guest_(guest),
      back_(fmt::format("{}/{}/{}", base, guest, number)),
      front_(fmt::format("/local/domain/{}/device/vaccel/{}", guest, number)),
      name_node_(fmt::format("/local/domain/{}/name", guest)),
      tasks_token_(fmt::format("tasks/{}/{}", guest, number)),
      name_token_(fmt::format("name/{}/{}", guest, number)) {
  backend_.store.watch(front_ + "/tasks", tasks_token_);
  backend_.store.watch(name_node_, name_token_);
  // What the last pegasusd has left there counts, too.
  for (std::string const& key : backend_.store.list(back_ + "/tasks"))
    keep_answer(key);
}

Device::~Device() {
  backend_.store.unwatch(front_ + "/tasks", tasks_token_);
  backend_.store.unwatch(name_node_, name_token_);
}

void Device::settings_changed() {
  if (over_) return;
  auto const state = backend_.store.number(back_ + "/state", PEGASUS_XEN_CLOSED);
  if (!state) return guest_gone(); // the toolstack removed the device
  if (*state == PEGASUS_XEN_CLOSING || *state == PEGASUS_XEN_CLOSED) {
    close_tasks();
    if (*state == PEGASUS_XEN_CLOSING) // xl destroy waits for this
      backend_.store.write(back_ + "/state", std::to_string(PEGASUS_XEN_CLOSED));
    over_ = true;
    host_.forget_guest(guest_);
    return;
  }
  read_settings();
  if (*state != PEGASUS_XEN_CONNECTED)
    backend_.store.write(back_ + "/state", std::to_string(PEGASUS_XEN_CONNECTED));
}

void Device::read_settings() {
  VaccelNodes nodes =
      read_vaccel(back_, settings_, [this](std::string const& path) { return backend_.store.read(path); });
  std::string const name = backend_.store.read(name_node_).value_or("");
  std::string const called = control::valid_domain_name(name) ? " (" + name + ")" : "";
  for (std::string const& problem : nodes.problems)
    if (std::ranges::find(reported_, problem) == reported_.end())
      host_.report(fmt::format("guest {}{}: {}", guest_, called, problem));
  reported_ = std::move(nodes.problems);
  served_ = !nodes.unlimited_by_error;
  if (served_) settings_ = nodes.settings;
  host_.set_guest(guest_, name, nodes.settings);
}

bool Device::write_settings(control::Settings const& settings) {
  return !over_ && write_vaccel(settings, [this](std::string_view node, std::string const& value) {
    return backend_.store.write(fmt::format("{}/{}", back_, node), value);
  });
}

// The watch fires for the directory itself when it is set. Later such events come from the guest, which can
// cause them without end. A change to a task has its own event.
void Device::list_tasks() {
  if (std::exchange(listed_, true)) return;
  for (std::string const& key : backend_.store.list(front_ + "/tasks"))
    tasks_changed(key);
}

bool Device::wants_to_start(std::string const& key) {
  if (over_ || tasks_.contains(key) || !valid_task_key(key)) return false;
  auto const state = backend_.store.number(front_of(key) + "/state", PEGASUS_XEN_CLOSED);
  return state == std::uint64_t{PEGASUS_XEN_INITIALISED};
}

void Device::tasks_changed(std::string const& key) {
  if (!wants_to_start(key)) return;
  TaskStarts::Decision const decision = starts_.ask(key, std::chrono::steady_clock::now());
  if (decision == TaskStarts::Decision::start) open_task(key);
  if (decision == TaskStarts::Decision::refuse)
    refuse(key, fmt::format("this guest starts more than {} programs a second: try again later",
                            TaskStarts::per_second));
}

std::optional<TaskStarts::Time> Device::start_waiting(TaskStarts::Time now) {
  while (auto const key = starts_.next(now))
    if (wants_to_start(*key)) open_task(*key); // else it no longer wants to start
  return starts_.due();
}

// Includes tasks that are leaving and tasks whose workers do not end.
Device::Use Device::use() {
  std::erase_if(closed_, [](auto const& task) { return task.expired(); });
  Use total{.tasks = tasks_.size() + closed_.size()};
  for (auto const& [key, slot] : tasks_)
    total.pages += slot.task->pages();
  for (auto const& closed : closed_)
    if (auto const task = closed.lock()) total.pages += task->pages();
  return total;
}

void Device::open_task(std::string const& key) {
  if (!served_)
    return refuse(key,
                  "this guest's memory limit in xenstore is not valid: have the operator correct it (see "
                  "pegasusd's log)");
  Use const now = use();
  if (now.tasks >= backend_.limits.tasks)
    return refuse(key, fmt::format("this guest has {} tasks, the limit per guest: end one, or have the "
                                   "operator raise pegasusd's --guest-tasks",
                                   now.tasks));
  auto task = Task::open(backend_, guest_, front_of(key), back_of(key),
                         backend_.limits.pages - std::min<std::size_t>(now.pages, backend_.limits.pages));
  if (!task) return refuse(key, task.error().message);
  guests::Peer const peer{static_cast<pid_t>((*task)->connect_request().process), guest_user_base + guest_};
  auto const connect_reply = host_.admit(guest_, (*task)->connect_request(), peer, *task);
  if (!connect_reply && connect_reply.error().error == PEGASUS_ASK_AGAIN) {
    task->reset(); // releases its pages before the guest can ask again
    return defer(key, connect_reply.error().message);
  }
  if (!connect_reply) return refuse(key, connect_reply.error().message);
  (*task)->closed = [this, key] { task_closed(key); };
  tasks_.emplace(key, Slot{*task, connect_reply->task});
  refused_.remove(key);
  (*task)->connect(*connect_reply);
}

void Device::task_closed(std::string const& key) {
  closed_.push_back(tasks_.at(key).task);
  tasks_.erase(key);
  if (over()) ended_();
}

void Device::refuse(std::string const& key, std::string const& why) {
  backend_.store.remove(front_of(key)); // it is not tried again
  backend_.store.write(back_of(key) + "/error", why);
  backend_.store.write(back_of(key) + "/state", std::to_string(PEGASUS_XEN_CLOSED));
  keep_answer(key);
}

// Keeps nothing of the task but the answer. Writing the answer again would wake the guest, which
// asks again when it wakes.
void Device::defer(std::string const& key, std::string const& why) {
  auto const state = backend_.store.number(back_of(key) + "/state", PEGASUS_XEN_CLOSED);
  if (state != std::uint64_t{PEGASUS_XEN_INIT_WAIT}) {
    backend_.store.write(back_of(key) + "/error", why);
    backend_.store.write(back_of(key) + "/state", std::to_string(PEGASUS_XEN_INIT_WAIT));
  }
  keep_answer(key);
}

void Device::keep_answer(std::string const& key) {
  if (auto const oldest = refused_.add(key)) backend_.store.remove(back_of(*oldest));
}

bool Device::on_event(evtchn_port_t control) {
  auto const found = std::ranges::find_if(
      tasks_, [control](auto const& entry) { return entry.second.task->control() == control; });
  if (found == tasks_.end()) return false;
  Slot& slot = found->second;
  if (!slot.leaving && slot.task->gone()) {
    slot.leaving = true;
    host_.guest_left(slot.number);
  }
  return true;
}

void Device::close_tasks() {
  for (auto& [key, slot] : tasks_)
    if (!std::exchange(slot.leaving, true)) host_.detached(slot.number);
}

void Device::guest_gone() {
  close_tasks();
  over_ = true;
  host_.forget_guest(guest_);
  remove_nodes(backend_.store, back_);
}

void Device::remove_nodes(Store& store, std::string const& back) {
  store.remove(back);
  std::string const of_guest = back.substr(0, back.rfind('/'));
  if (store.list(of_guest).empty()) store.remove(of_guest);
}

void Device::release() {
  if (std::exchange(over_, true)) return;
  // For the next daemon. The toolstack may be about to take the device away: it waits for an answer then.
  auto const state = backend_.store.number(back_ + "/state", PEGASUS_XEN_CLOSED);
  if (state == std::uint64_t{PEGASUS_XEN_CONNECTED})
    backend_.store.write(back_ + "/state", std::to_string(PEGASUS_XEN_INITIALISING));
}

} // namespace pegasus::xen
