// SPDX-License-Identifier: Apache-2.0
#include "control/domain_name.h"

#include <catch2/catch.hpp>
#include <string>

using namespace pegasus::control;

TEST_CASE("domain names") {
  auto const [name, valid] = GENERATE(table<std::string, bool>({
      {"dom1", true},
      {"a.b-c_D9", true},
      {"", false},
      {"-x", false},
      {".x", false},
      {"a b", false},
      {"a/b", false},
      {"\xc3\xa4", false},
      {std::string(63, 'x'), true},
      {std::string(64, 'x'), false},
  }));
  CHECK(valid_domain_name(name) == valid);
}
