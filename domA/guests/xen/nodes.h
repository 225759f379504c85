// SPDX-License-Identifier: Apache-2.0
// What xenstore's nodes say, as text. A guest chooses what is under its device's tasks: names and values.
// Pure. Source: the table of nodes in frontend/protocol/PROTOCOL.md.
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

// Takes the first part off a path; nothing: there is none.
[[nodiscard]] std::optional<std::string_view> take_part(std::string_view& path);

// KEY of /local/domain/GUEST/device/vaccel/NUMBER/tasks/KEY/...; nothing: the path ends before.
[[nodiscard]] std::optional<std::string_view> task_key_in(std::string_view path);

// The refused tasks whose answers are in xenstore. A guest may be refused without end, and its own quota does
// not count the answers.
class RefusedTasks {
public:
  static constexpr std::size_t most = 32;

  // The task whose answer has to go now; nothing: there is room.
  [[nodiscard]] std::optional<std::string> add(std::string const& key);
  void remove(std::string const& key); // it has been admitted after all

private:
  std::deque<std::string> keys_; // the latest last
};

} // namespace pegasus::xen
