// SPDX-License-Identifier: Apache-2.0
// What the backend of vaccel devices may do in xenstore, checked at each of its accesses: an event of one guest changes
// nothing of another; only the backend's nodes are written, along the allowed states; a task is answered once for each
// time that it asks.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace pegasus::fuzz {

struct XenPath { // of a device or below, or of a guest's backend directory
  std::uint32_t guest = 0;
  std::optional<std::uint32_t> number;
  std::string rest; // below the device
};

inline constexpr std::string_view xen_base = "/local/domain/0/backend/vaccel";
[[nodiscard]] std::optional<XenPath> in_backend(std::string_view path);
[[nodiscard]] std::optional<XenPath> in_frontend(std::string_view path);
// As xenbus reads a node: digits only, at most 10 of them.
[[nodiscard]] std::optional<std::uint64_t> number_at(std::string const& path);
[[nodiscard]] bool is_printable(std::string_view text);
[[nodiscard]] bool is_key(std::string_view key);
[[nodiscard]] std::vector<std::uint32_t> devices_of(std::uint32_t guest); // that the toolstack has completed
// Programs of a device that have asked and have no answer.
[[nodiscard]] std::size_t unanswered(std::uint32_t guest, std::uint32_t number);

class XenRules {
public:
  XenRules(); // at each access to the fakes from now on

  // Whom the backend may touch, until it takes the next event.
  void allow_all() { allow({.all = true}); }
  void allow_none() { allow({}); }
  void allow_guest(std::uint32_t guest) { allow({.guest = guest}); }
  void touches(std::uint32_t guest) const;

  // A guest has one device. Whether it had several that the backend may not have heard of yet.
  void toolstack_changed(std::uint32_t guest) {
    if (devices_of(guest).size() > 1) several_.insert(guest);
  }
  void settled() { several_.clear(); }
  [[nodiscard]] bool had_several(std::uint32_t guest) const {
    return several_.contains(guest) || devices_of(guest).size() > 1;
  }

  void set_stopping(bool stopping) { stopping_ = stopping; }
  void set_changing(std::optional<std::uint32_t> guest) {
    changing_ = guest;
  } // an operator has its settings changed

private:
  struct Scope {
    bool all = false, dead = false;
    std::optional<std::uint32_t> guest;
  };
  void allow(Scope scope);
  void reads(std::string const& path);
  void writes(std::string const& path, std::string const& value);
  void writes_state(XenPath const& node, std::string const& path, std::string const& value) const;
  void answers(XenPath const& node, std::string const& value);
  void removes(std::string const& path) const;

  Scope scope_;
  std::set<std::uint32_t> several_;
  bool stopping_ = false;
  std::optional<std::uint32_t> changing_;
  std::set<std::string> asked_; // tasks whose state was read as 3 since the last event: not yet answered
};

} // namespace pegasus::fuzz
