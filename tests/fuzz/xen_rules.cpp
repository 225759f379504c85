// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/xen_rules.h"

#include "control/settings.h"
#include "domA/guests/xen/testing/fake_guest.h"
#include "domA/guests/xen/testing/fake_sharing.h"
#include "domA/guests/xen/testing/fake_store.h"
#include "frontend/protocol/xen.h"
#include "tests/fuzz/require.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>

namespace pegasus::fuzz {
namespace {

using xen::testing::back_of, xen::testing::domain_of;
using xen::testing::FakeEventChannels;
using xen::testing::FakeStore;

constexpr std::size_t max_message = 4096; // of xenstore: path and value
constexpr std::size_t max_key = 64;
constexpr std::string_view key_characters =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";

std::optional<std::uint64_t> parsed(std::string_view text) {
  if (text.empty() || text.size() > 10 || text.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  return std::stoull(std::string(text));
}

std::string_view part_off(std::string_view& path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  std::string_view const part = path.substr(0, path.find('/'));
  path.remove_prefix(part.size());
  return part;
}

std::optional<XenPath> guest_and_device(std::string_view guest, std::string_view path) {
  auto const id = parsed(guest);
  if (!id) return std::nullopt;
  XenPath result{.guest = static_cast<std::uint32_t>(*id), .number = std::nullopt, .rest = {}};
  if (auto const number = parsed(part_off(path))) result.number = static_cast<std::uint32_t>(*number);
  result.rest = path.starts_with('/') ? path.substr(1) : path;
  return result;
}

// For a person who repeats an input.
void show(std::string_view what, std::string_view path, std::string_view value = {}) {
  static bool const shown = std::getenv("PEGASUS_FUZZ_SHOW") != nullptr;
  if (shown) fmt::print(stderr, "{} {} {}\n", what, path, value);
}

bool is_setting(std::string_view node) {
  return std::ranges::any_of(control::all_settings(),
                             [&](auto const& each) { return each.node.name == node; });
}

// KEY of tasks/KEY, and what follows it.
std::optional<std::pair<std::string, std::string>> task_in(std::string_view rest) {
  if (part_off(rest) != "tasks") return std::nullopt;
  std::string const key(part_off(rest));
  return std::pair(key, std::string(rest.starts_with('/') ? rest.substr(1) : rest));
}

} // namespace

std::optional<XenPath> in_backend(std::string_view path) {
  if (!path.starts_with(xen_base)) return std::nullopt;
  path.remove_prefix(xen_base.size());
  std::string_view const guest = part_off(path);
  return guest_and_device(guest, path);
}

std::optional<XenPath> in_frontend(std::string_view path) {
  if (part_off(path) != "local" || part_off(path) != "domain") return std::nullopt;
  std::string_view const guest = part_off(path);
  if (part_off(path) != "device" || part_off(path) != "vaccel") return guest_and_device(guest, {});
  return guest_and_device(guest, path);
}

std::optional<std::uint64_t> number_at(std::string const& path) {
  auto const text = FakeStore::get().read(path);
  return text ? parsed(*text) : std::nullopt;
}

bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c <= 0x7e; });
}

bool is_key(std::string_view key) {
  return !key.empty() && key.size() <= max_key &&
         key.find_first_not_of(key_characters) == std::string_view::npos;
}

std::vector<std::uint32_t> devices_of(std::uint32_t guest) {
  std::vector<std::uint32_t> numbers;
  for (std::string const& name : FakeStore::get().list(fmt::format("{}/{}", xen_base, guest)))
    if (auto const number = parsed(name))
      if (auto const id = static_cast<std::uint32_t>(*number);
          FakeStore::get().exists(back_of(guest, id) + "/frontend"))
        numbers.push_back(id);
  return numbers;
}

std::size_t unanswered(std::uint32_t guest, std::uint32_t number) {
  FakeStore const& store = FakeStore::get();
  std::string const front = xen::testing::front_of(guest, number) + "/tasks/";
  std::string const back = back_of(guest, number) + "/tasks/";
  return static_cast<std::size_t>(std::ranges::count_if(
      store.list(xen::testing::front_of(guest, number) + "/tasks"), [&](std::string const& key) {
        return is_key(key) && number_at(front + key + "/state") == std::uint64_t{PEGASUS_XEN_INITIALISED} &&
               !store.exists(back + key + "/state");
      }));
}

XenRules::XenRules() {
  FakeStore::get().set_hooks({.takes =
                                  [this](FakeStore::Event const& event) {
                                    show("event", event.path, event.token);
                                    if (event.path == xen_base) return allow({.all = true});
                                    if (event.path.starts_with('@')) return allow({.dead = true});
                                    auto const in = event.path.starts_with(xen_base)
                                                        ? in_backend(event.path)
                                                        : in_frontend(event.path);
                                    allow({.guest = in ? std::optional(in->guest) : std::nullopt});
                                  },
                              .reads = [this](auto const& path) { reads(path); },
                              .writes = [this](auto const& path, auto const& value) { writes(path, value); },
                              .removes = [this](auto const& path) { removes(path); }});
  FakeEventChannels::get().takes = [this](std::uint32_t guest) { allow({.guest = guest}); };
}

void XenRules::allow(Scope scope) {
  scope_ = scope;
  asked_.clear();
}

void XenRules::touches(std::uint32_t guest) const {
  require(scope_.all || scope_.guest == guest || (scope_.dead && !FakeStore::get().exists(domain_of(guest))));
}

void XenRules::reads(std::string const& path) {
  auto const node = in_frontend(path);
  if (!node || !node->number) return;
  auto const task = task_in(node->rest);
  if (task && task->second == "state" && number_at(path) == std::uint64_t{PEGASUS_XEN_INITIALISED})
    asked_.insert(fmt::format("{}/{}/{}", node->guest, *node->number, task->first));
}

void XenRules::writes(std::string const& path, std::string const& value) {
  show("write", path, value);
  auto const node = in_backend(path);
  require(node && node->number && path.size() + value.size() < max_message && is_printable(value));
  touches(node->guest);
  if (node->rest == "state") return writes_state(*node, path, value);
  if (node->rest == "error") return require(had_several(node->guest)); // refuses the second
  if (changing_ == node->guest && is_setting(node->rest)) return;
  answers(*node, value);
}

// Of a device: 1 to 3 -> 4, 5 -> 6, a second one -> 6, and 4 -> 1 for the next pegasusd.
void XenRules::writes_state(XenPath const& node, std::string const& path, std::string const& value) const {
  auto const before = number_at(path);
  require(before && *before <= PEGASUS_XEN_CLOSED);
  if (value == "1") return require(stopping_ && *before == PEGASUS_XEN_CONNECTED);
  if (value == "4") return require(*before < PEGASUS_XEN_CONNECTED);
  require(value == "6" && *before != PEGASUS_XEN_CLOSED);
  require(*before == PEGASUS_XEN_CLOSING || had_several(node.guest));
}

void XenRules::answers(XenPath const& node, std::string const& value) {
  auto const task = task_in(node.rest);
  require(task && is_key(task->first));
  std::string const id = fmt::format("{}/{}/{}", node.guest, *node.number, task->first);
  require(asked_.contains(id));
  if (task->second == "error") return require(!value.empty());
  require(task->second == "state" && (value == "2" || value == "4" || value == "6"));
  asked_.erase(id);
}

void XenRules::removes(std::string const& path) const {
  show("remove", path);
  FakeStore const& store = FakeStore::get();
  bool const back = path.starts_with(xen_base);
  auto const node = back ? in_backend(path) : in_frontend(path);
  require(node.has_value());
  touches(node->guest);
  auto const task = task_in(node->rest);
  if (node->number && task) return require(is_key(task->first) && task->second.empty());
  require(back);
  if (!node->number) return require(store.list(path).empty());
  auto const state = number_at(path + "/state");
  require(node->rest.empty() &&
          (!state || *state > PEGASUS_XEN_CLOSED || !store.exists(domain_of(node->guest))));
}

} // namespace pegasus::fuzz
