// SPDX-License-Identifier: Apache-2.0
// The text of xenstore's nodes. A guest chooses the names and values under its device's tasks. Pure. Source:
// the table of nodes in frontend/protocol/PROTOCOL.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace pegasus::xen {

// A task's key goes into paths and messages: 1 to 64 of [A-Za-z0-9_-].
[[nodiscard]] bool valid_task_key(std::string_view key);

// Takes the first part off a path; nullopt if there is none.
[[nodiscard]] std::optional<std::string_view> take_part(std::string_view& path);

// KEY of /local/domain/GUEST/device/vaccel/NUMBER/tasks/KEY/...; nullopt if the path ends before.
[[nodiscard]] std::optional<std::string_view> task_key_in(std::string_view path);

// The refused tasks whose answers are in xenstore. A guest may be refused without end, and the answers do not
// count against its own quota.
class RefusedTasks {
public:
  static constexpr std::size_t most = 32;

  // Returns the task whose answer must be removed now; nullopt if there is room.
  [[nodiscard]] std::optional<std::string> add(std::string const& key);
  void remove(std::string const& key); // it has been admitted now

private:
  std::deque<std::string> keys_; // the latest is last
};

} // namespace pegasus::xen
