// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/xen/nodes.h"

#include <catch2/catch.hpp>

using namespace pegasus::xen;

TEST_CASE("a task's key is validated before it is used in a path or a message") {
  auto const [key, valid] = GENERATE(table<std::string, bool>({
      {"1234-0123456789abcdef", true},
      {"A_z-9", true},
      {std::string(64, 'x'), true},
      {std::string(65, 'x'), false},
      {"", false},
      {".", false},
      {"..", false},
      {"a/b", false},
      {"a b", false},
      {"a@b", false},
      {"a\n", false},
      {"\x1b[2J", false},
      {std::string("a\0b", 3), false},
      {"\xc3\xa4", false},
  }));
  INFO('"' << key << '"');
  CHECK(valid_task_key(key) == valid);
}

TEST_CASE("paths are taken apart from the front") {
  std::string_view path = "//12/0/tasks//key/";
  CHECK(take_part(path) == "12");
  CHECK(take_part(path) == "0");
  CHECK(take_part(path) == "tasks");
  CHECK(take_part(path) == "key");
  CHECK_FALSE(take_part(path));
  CHECK_FALSE(take_part(path));
}

TEST_CASE("which device a watched path belongs to") {
  auto const [path, key] = GENERATE(table<std::string, std::optional<std::string_view>>({
      {"/local/domain/3/device/vaccel/0/tasks/12-ab", "12-ab"},
      {"/local/domain/3/device/vaccel/0/tasks/12-ab/state", "12-ab"},
      {"/local/domain/3/device/vaccel/0/tasks/tasks/tasks", "tasks"},
      {"/local/domain/3/device/vaccel/0/tasks", std::nullopt},
      {"/local/domain/3/device/vaccel/0/tasks/", std::nullopt},
      {"/local/domain/3", std::nullopt},
      {"@releaseDomain", std::nullopt},
      {"", std::nullopt},
  }));
  INFO(path);
  CHECK(task_key_in(path) == key);
}

TEST_CASE("of the answers to refused tasks only the latest stay") {
  RefusedTasks refused;
  for (std::size_t i = 0; i < RefusedTasks::most; ++i)
    CHECK_FALSE(refused.add(std::to_string(i)));
  CHECK(refused.add("next") == "0");
  CHECK_FALSE(refused.add("1")); // again: its answer is rewritten, and it is the latest
  CHECK(refused.add("another") == "2");
  refused.remove("3");
  refused.remove("unknown");
  CHECK_FALSE(refused.add("fits"));
  CHECK(refused.add("last") == "4");
}
