// SPDX-License-Identifier: Apache-2.0
#include "ctl/run/program_path.h"

#include "control/domain_name.h"
#include "ctl/process/temporary_directory.h"
#include "ctl/run/domain_name.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <sys/stat.h>

using namespace pegasus::ctl;

TEST_CASE("programs are found as a shell finds them") {
  auto const directory = std::move(TemporaryDirectory::create().value());
  std::string const plain = directory.path() + "/plain";
  std::string const good = directory.path() + "/good";
  std::ofstream(plain) << "x";
  std::ofstream(good) << "x";
  REQUIRE(chmod(plain.c_str(), 0600) == 0);
  REQUIRE(chmod(good.c_str(), 0700) == 0);
  std::string const path = "/nowhere:" + directory.path();

  CHECK(find_program("good", path).value() == good);
  CHECK(find_program(good, "").value() == good);
  CHECK(find_program("plain", path).error().exit_status == 126);
  CHECK(find_program(plain, path).error().exit_status == 126);
  CHECK(find_program(directory.path(), path).error().exit_status == 126);
  CHECK(find_program("absent", path).error().exit_status == 127);
  CHECK(find_program(directory.path() + "/absent", path).error().exit_status == 127);
  CHECK(find_program("", path).error().exit_status == 127);
  CHECK(find_program(good + "/x", path).error().exit_status == 127);
}

TEST_CASE("a domain is named after the program") {
  CHECK(domain_name_for("./build/vector_add") == "vector_add");
  CHECK(domain_name_for("/a b/my program") == "my_program");
  CHECK(domain_name_for(".hidden") == "_hidden");
  CHECK(domain_name_for("dir/") == "default");
  CHECK(domain_name_for(std::string(100, 'x')) == std::string(63, 'x'));
  for (char const* const name : {"a", "Dom-1", "9.x_y"})
    CHECK(pegasus::control::valid_domain_name(name));
  for (std::string const& name : {std::string(), std::string("-a"), std::string(".a"), std::string("a b"),
                                  std::string("a/b"), std::string("\xc3\xb6"), std::string(64, 'x')})
    CHECK_FALSE(pegasus::control::valid_domain_name(name));
}
