// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/xen/guests.h"

#include "control/quantity.h"
#include "domA/guests/xen/device.h"
#include "domA/guests/xen/device_nodes.h"
#include "domA/guests/xen/guest_rules.h"
#include "domA/guests/xen/nodes.h"
#include "frontend/protocol/xen.h"

#include <algorithm>
#include <fmt/core.h>
#include <set>
#include <unistd.h>

namespace pegasus::xen {
namespace {

// A guest may change its directory, and ring, without end: other guests are served in between.
constexpr int events_at_once = 64;
constexpr char introduce_token[] = "introduce";
constexpr char release_token[] = "release";
constexpr char backend_token[] = "backend";

std::optional<std::uint32_t> number(std::optional<std::string_view> text) {
  auto const value = text ? control::whole_number(*text, 0, 0xffffffff) : std::nullopt;
  return value ? std::optional(static_cast<std::uint32_t>(*value)) : std::nullopt;
}

class XenGuests final : public Guests {
public:
  XenGuests(GuestsHost& host, Backend backend, std::uint32_t own, std::filesystem::path rules)
      : host_(host), backend_(std::move(backend)), own_(own),
        base_(fmt::format("/local/domain/{}/backend/vaccel", own)), rules_(std::move(rules)) {
    backend_.store.watch(base_, backend_token); // fires at once, as do the others and those of the devices
    backend_.store.watch("@releaseDomain", release_token);
    if (!rules_.empty()) backend_.store.watch("@introduceDomain", introduce_token);
  }

  int store_fd() const override { return backend_.store.fd(); }
  int events_fd() const override { return xenevtchn_fd(backend_.events.get()); }

  bool read_store() override {
    for (int i = 0; i < events_at_once; ++i) {
      auto const event = backend_.store.next_event();
      if (!event) return false;
      if (event->token == release_token)
        release_dead();
      else if (event->token == introduce_token)
        attach_by_rules();
      else if (event->token == backend_token)
        backend_changed(event->path);
      else
        guest_changed(*event);
      drop_finished();
    }
    return true;
  }

  bool read_events() override {
    auto const port = xenevtchn_pending(backend_.events.get()); // blocks unless one is pending
    if (port >= 0)
      for (auto& [id, device] : devices_)
        if (device->on_event(static_cast<evtchn_port_t>(port))) break;
    return false; // the descriptor stays readable while there are more
  }

  std::optional<TaskStarts::Time> start_waiting(TaskStarts::Time now) override {
    std::optional<TaskStarts::Time> soonest;
    for (auto& [id, device] : devices_)
      if (auto const due = device->start_waiting(now); due && (!soonest || *due < *soonest)) soonest = due;
    return soonest;
  }

  bool change(std::uint32_t guest, control::Settings const& settings) override {
    auto const found = device_of(guest);
    return found != devices_.end() && found->second->write_settings(settings);
  }

  void stop() override {
    stopped_ = true;
    for (auto& [id, device] : devices_)
      device->release();
  }

private:
  using Id = std::pair<std::uint32_t, std::uint32_t>; // guest and number

  [[nodiscard]] auto device_of(std::uint32_t guest) -> std::map<Id, std::unique_ptr<Device>>::iterator {
    auto const found = devices_.lower_bound({guest, 0});
    return found != devices_.end() && found->first.first == guest ? found : devices_.end();
  }

  // Each domain is looked at once: what an operator detaches stays so. The files are read anew: a change counts from the next
  // guest on. The toolstack has written name and UUID before this.
  void attach_by_rules() {
    std::set<std::uint32_t> present;
    for (std::string const& name : backend_.store.list("/local/domain"))
      if (auto const id = number(name); id && *id != own_) present.insert(*id);
    if (std::ranges::includes(introduced_, present)) return introduced_.swap(present);
    GuestRules const rules = GuestRules::read(rules_);
    for (std::string const& problem : rules.problems())
      host_.report(problem);
    for (std::uint32_t const guest : present)
      if (!introduced_.contains(guest)) attach_by(rules, guest);
    introduced_.swap(present);
  }

  void attach_by(GuestRules const& rules, std::uint32_t guest) {
    constexpr std::string_view incoming = "--incoming"; // behind its name when it arrives from another host
    constexpr std::string_view vm = "/vm/";
    std::string name = backend_.store.read(fmt::format("/local/domain/{}/name", guest)).value_or("");
    if (name.ends_with(incoming)) name.resize(name.size() - incoming.size());
    std::string uuid = backend_.store.read(fmt::format("/local/domain/{}/vm", guest)).value_or("");
    if (uuid.starts_with(vm)) uuid.erase(0, vm.size());
    auto const settings = rules.find(name, uuid);
    if (!settings || has_device(backend_.store, own_, guest)) return;
    if (!make_device(backend_.store, own_, guest, *settings))
      host_.report(fmt::format("guest {} ({}): cannot write {} in xenstore", guest, name,
                               back_directory(own_, guest)));
  }

  // PATH is base, base/GUEST, base/GUEST/NUMBER or a node of a device.
  void backend_changed(std::string_view path) {
    if (!path.starts_with(base_)) return;
    path.remove_prefix(base_.size());
    auto const guest = number(take_part(path));
    auto const device = number(take_part(path));
    if (guest && device) {
      if (take_part(path) != std::optional<std::string_view>("tasks"))
        device_changed({*guest, *device}); // tasks: our own change
    } else if (guest) {
      list_devices(*guest);
    } else {
      for (std::string const& name : backend_.store.list(base_))
        if (auto const listed = number(name)) list_devices(*listed);
      for (auto& [id, served] : devices_)
        served->settings_changed();
    }
  }

  void list_devices(std::uint32_t guest) {
    for (std::string const& name : backend_.store.list(fmt::format("{}/{}", base_, guest)))
      if (auto const listed = number(name)) device_changed({guest, *listed});
    for (auto& [id, served] : devices_)
      if (id.first == guest) served->settings_changed();
  }

  void device_changed(Id id) {
    auto found = devices_.find(id);
    if (found == devices_.end()) {
      std::string const back = fmt::format("{}/{}/{}", base_, id.first, id.second);
      if (!backend_.store.exists(back + "/frontend")) return;
      // A closed device waits until the toolstack removes it; our own write of this state leads here, too.
      auto const state = backend_.store.number(back + "/state", PEGASUS_XEN_CLOSED);
      if (state == std::uint64_t{PEGASUS_XEN_CLOSED}) return;
      if (!state)
        return Device::remove_nodes(backend_.store, back); // the toolstack removed it before we served it
      if (auto const other = device_of(id.first); other != devices_.end())
        return other->second->ending() ? void()
                                       : reject_duplicate(id, back); // when it has ended, we look again
      auto device =
          std::make_unique<Device>(backend_, host_, id.first, id.second, base_, [this, id] { ended(id); });
      found = devices_.emplace(id, std::move(device)).first;
    }
    found->second->settings_changed();
  }

  // All tasks of a guest are one domain, which has the settings of one device.
  void reject_duplicate(Id id, std::string const& back) {
    constexpr char why[] = "a guest may have one accelerator device: remove this second one";
    host_.report(fmt::format("guest {}: vaccel {}: {}", id.first, id.second, why));
    backend_.store.write(back + "/error", why);
    backend_.store.write(back + "/state", std::to_string(PEGASUS_XEN_CLOSED));
  }

  void guest_changed(Store::Event const& event) {
    for (auto& [id, device] : devices_) {
      if (device->name_token() == event.token) device->settings_changed();
      if (device->tasks_token() != event.token) continue;
      if (auto const key = task_key_in(event.path))
        device->tasks_changed(std::string(*key));
      else
        device->list_tasks();
    }
  }

  void release_dead() {
    for (auto& [id, device] : devices_)
      if (!backend_.store.exists(fmt::format("/local/domain/{}", id.first))) device->guest_gone();
  }

  void drop_finished() {
    auto const over = [](auto const& entry) { return entry.second->over(); };
    while (true) {
      auto const found = std::ranges::find_if(devices_, over);
      if (found == devices_.end()) return;
      ended(found->first);
    }
  }

  // The toolstack may have attached a device before the last tasks ended. No event says so any more.
  void ended(Id id) {
    devices_.erase(id);
    if (!stopped_) list_devices(id.first);
  }

  GuestsHost& host_;
  Backend backend_;
  std::uint32_t own_; // our domain
  std::string base_;
  std::filesystem::path rules_;
  std::set<std::uint32_t> introduced_; // domains for which the rules were looked at
  bool stopped_ = false;
  std::map<Id, std::unique_ptr<Device>> devices_;
};

} // namespace

bool Guests::present() {
  return access("/dev/xen/gntdev", F_OK) == 0 && access("/dev/xen/evtchn", F_OK) == 0;
}

tl::expected<std::unique_ptr<Guests>, std::string> Guests::open(GuestsHost& host, GuestLimits const& limits,
                                                                std::filesystem::path const& rules) {
  auto store = Store::open();
  if (!store) return tl::unexpected(store.error());
  auto grants = open_grant_table();
  if (!grants) return tl::unexpected(grants.error());
  auto events = open_event_channels();
  if (!events) return tl::unexpected(events.error());
  std::uint32_t const own = number(store->read("domid")).value_or(0);
  return std::make_unique<XenGuests>(
      host, Backend{std::move(*store), std::move(*grants), std::move(*events), limits}, own, rules);
}

} // namespace pegasus::xen
