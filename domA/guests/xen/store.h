// SPDX-License-Identifier: Apache-2.0
// Xenstore as the backend uses it: small values, and watches that are read when the descriptor is readable.
#pragma once

#include "domA/guests/xen/handles.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pegasus::xen {

class Store {
public:
  [[nodiscard]] static tl::expected<Store, std::string> open();

  [[nodiscard]] std::optional<std::string> read(std::string const& path);
  // A decimal number of at most `most`; nullopt if it is absent or malformed.
  [[nodiscard]] std::optional<std::uint64_t> number(std::string const& path, std::uint64_t most);
  [[nodiscard]] std::vector<std::string> list(std::string const& path); // empty if absent or without entries
  [[nodiscard]] bool exists(std::string const& path) { return read(path).has_value(); }
  bool write(std::string const& path, std::string const& value);
  // Owned by `owner` and readable by `reader`; the same for the nodes made in it.
  bool make_directory(std::string const& path, unsigned owner, unsigned reader);
  bool remove(std::string const& path);

  bool watch(std::string const& path, std::string const& token);
  void unwatch(std::string const& path, std::string const& token);
  struct Event {
    std::string path, token;
  };
  [[nodiscard]] std::optional<Event> next_event(); // nullopt if none is pending
  [[nodiscard]] int fd() const { return xs_fileno(handle_.get()); }

private:
  explicit Store(StoreHandle handle) : handle_(std::move(handle)) {}
  StoreHandle handle_;
};

} // namespace pegasus::xen
