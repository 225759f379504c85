// SPDX-License-Identifier: Apache-2.0
#include "domA/xen/device.h"

#include "frontend/protocol/xen.h"

#include <algorithm>
#include <fmt/core.h>

namespace pegasus::xen {
namespace {

constexpr std::uint64_t credits_max = 65535;
constexpr std::uint64_t permille_max = 1000;
constexpr std::uint64_t memory_kb_max = std::uint64_t{1} << 40;
constexpr std::uint32_t default_credits = 256;
constexpr std::size_t key_max = 64;
// Users are counted; a guest's tasks count as those of a user that no process of Dom0 is.
constexpr uid_t first_guest_user = 0x80000000;

// A guest chooses the key: it goes into paths and messages.
bool valid_key(std::string const& key) {
  return !key.empty() && key.size() <= key_max && std::ranges::all_of(key, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
  });
}

} // namespace

Device::Device(Backend& backend, GuestsHost& host, std::uint32_t guest, std::uint32_t number,
               std::string base)
    : backend_(backend), host_(host), guest_(guest), back_(fmt::format("{}/{}/{}", base, guest, number)),
      front_(fmt::format("/local/domain/{}/device/vaccel/{}", guest, number)),
      token_(fmt::format("tasks/{}/{}", guest, number)) {
  std::string const named = backend_.store.read(fmt::format("/local/domain/{}/name", guest)).value_or("");
  domain_ = link::valid_domain_name(named) ? named : fmt::format("dom{}", guest);
  backend_.store.watch(front_ + "/tasks", token_);
}

Device::~Device() { backend_.store.unwatch(front_ + "/tasks", token_); }

void Device::settings_changed() {
  if (over_) return;
  auto const state = backend_.store.number(back_ + "/state", PEGASUS_XEN_CLOSED);
  if (!state) return guest_gone(); // the toolstack removed the device
  if (*state == PEGASUS_XEN_CLOSING || *state == PEGASUS_XEN_CLOSED) {
    close_tasks();
    backend_.store.write(back_ + "/state", std::to_string(PEGASUS_XEN_CLOSED)); // xl destroy waits for this
    over_ = true;
    host_.forget_domain(domain_);
    return;
  }
  auto checked = [&](char const* node, std::uint64_t least, std::uint64_t most, std::uint64_t otherwise) {
    std::string const path = back_ + "/" + node;
    auto const value = backend_.store.number(path, most);
    if (value && *value >= least) return *value;
    if (backend_.store.exists(path))
      host_.report(fmt::format("{} is no number from {} to {}: {} is taken", path, least, most, otherwise));
    return otherwise;
  };
  host_.set_domain(
      domain_, {.guest = guest_,
                .credits = static_cast<std::uint32_t>(checked("credits", 1, credits_max, default_credits)),
                .memory_bytes = checked("memory-kb", 0, memory_kb_max, 0) * 1024,
                .slo = static_cast<double>(checked("slo-permille", 0, permille_max, 0)) / permille_max});
  if (*state != PEGASUS_XEN_CONNECTED)
    backend_.store.write(back_ + "/state", std::to_string(PEGASUS_XEN_CONNECTED));
}

void Device::all_tasks_changed() {
  for (std::string const& key : backend_.store.list(front_ + "/tasks"))
    tasks_changed(key);
}

void Device::tasks_changed(std::string const& key) {
  if (over_ || tasks_.contains(key) || !valid_key(key)) return;
  auto const state = backend_.store.number(front_of(key) + "/state", PEGASUS_XEN_CLOSED);
  if (state == std::uint64_t{PEGASUS_XEN_INITIALISED}) open_task(key);
}

void Device::open_task(std::string const& key) {
  auto task = Task::open(backend_, guest_, front_of(key), back_of(key));
  if (!task) return refuse(key, task.error().message);
  link::Peer const peer{static_cast<pid_t>((*task)->hello().process), first_guest_user + guest_};
  auto const welcome = host_.admit(domain_, (*task)->hello(), peer, *task);
  if (!welcome) return refuse(key, welcome.error().message);
  (*task)->closed = [this, key] { tasks_.erase(key); };
  tasks_.emplace(key, Seat{*task, welcome->task});
  (*task)->connect(*welcome);
}

void Device::refuse(std::string const& key, std::string const& why) {
  backend_.store.remove(front_of(key)); // so that it is not tried again
  backend_.store.write(back_of(key) + "/error", why);
  backend_.store.write(back_of(key) + "/state", std::to_string(PEGASUS_XEN_CLOSED));
}

bool Device::rang(evtchn_port_t control) {
  auto const found = std::ranges::find_if(
      tasks_, [control](auto const& entry) { return entry.second.task->control() == control; });
  if (found == tasks_.end()) return false;
  Seat& seat = found->second;
  if (!seat.leaving && seat.task->gone()) {
    seat.leaving = true;
    host_.guest_left(seat.number);
  }
  return true;
}

void Device::close_tasks() {
  for (auto& [key, seat] : tasks_)
    if (!std::exchange(seat.leaving, true)) host_.guest_left(seat.number);
}

void Device::guest_gone() {
  close_tasks();
  over_ = true;
  host_.forget_domain(domain_);
  backend_.store.remove(back_); // a stock toolstack leaves what it has not made itself
}

void Device::let_go() {
  over_ = true;
  backend_.store.write(back_ + "/state", std::to_string(PEGASUS_XEN_INITIALISING)); // for the next daemon
}

} // namespace pegasus::xen
