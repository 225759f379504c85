// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/xen/nodes.h"

#include <algorithm>

namespace pegasus::xen {
namespace {

constexpr std::size_t max_key = 64;
constexpr int parts_before_key = 7;

bool key_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
}

} // namespace

bool valid_task_key(std::string_view key) {
  return !key.empty() && key.size() <= max_key && std::ranges::all_of(key, key_character);
}

std::optional<std::string_view> take_part(std::string_view& path) {
  while (path.starts_with('/'))
    path.remove_prefix(1);
  if (path.empty()) return std::nullopt;
  std::string_view const first = path.substr(0, path.find('/'));
  path.remove_prefix(first.size());
  return first;
}

std::optional<std::string_view> task_key_in(std::string_view path) {
  for (int skip = 0; skip < parts_before_key; ++skip)
    (void)take_part(path);
  return take_part(path);
}

std::optional<std::string> RefusedTasks::add(std::string const& key) {
  remove(key);
  keys_.push_back(key);
  if (keys_.size() <= most) return std::nullopt;
  std::string oldest = std::move(keys_.front());
  keys_.pop_front();
  return oldest;
}

void RefusedTasks::remove(std::string const& key) { std::erase(keys_, key); }

} // namespace pegasus::xen
