// SPDX-License-Identifier: Apache-2.0
#include "ctl/process/environment.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace pegasus::ctl;

namespace {

Installation const installation{"/opt/p/bin", "/opt/p/lib"};
std::string const ours =
    "LD_PRELOAD=/opt/p/lib/libcuda.so.1:/opt/p/lib/libcudart.so.13:/opt/p/lib/libcudart.so.12:/opt/p/lib/"
    "libcudart.so.11.0";

bool has(std::vector<std::string> const& variables, std::string const& wanted) {
  return std::count(variables.begin(), variables.end(), wanted) == 1;
}

} // namespace

TEST_CASE("a guest finds our libraries and its daemon") {
  auto const variables =
      guest_environment({"HOME=/h", "LD_PRELOADER=x"}, installation, {"/d/guest.sock", "dom1"});
  CHECK(variables.size() == 8);
  CHECK(has(variables, "HOME=/h"));
  CHECK(has(variables, "LD_PRELOADER=x"));
  CHECK(has(variables, "PEGASUS_SOCKET=/d/guest.sock"));
  CHECK(has(variables, "PEGASUS_DOMAIN=dom1"));
  CHECK(has(variables, ours));
  CHECK(has(variables, "LD_LIBRARY_PATH=/opt/p/lib"));
  CHECK(has(variables, "LD_AUDIT=/opt/p/lib/libpegasus-relink.so"));
  CHECK(has(variables, "GLIBC_TUNABLES=glibc.rtld.optional_static_tls=8192"));
  std::string const own = "GLIBC_TUNABLES=glibc.rtld.optional_static_tls=512";
  CHECK(has(guest_environment({own}, installation, {"/d/guest.sock", "dom1"}), own));
}

TEST_CASE("what was preloaded stays, behind ours; nested uses replace and do not repeat") {
  auto const once = guest_environment({"LD_PRELOAD=/a.so /b.so", "LD_LIBRARY_PATH=/x:/y",
                                       "LD_AUDIT=/c.so:/d.so", "GLIBC_TUNABLES=glibc.malloc.arena_max=1",
                                       "PEGASUS_DOMAIN=outer", "PEGASUS_SOCKET=/outer"},
                                      installation, {"/d/guest.sock", "inner"});
  auto const twice = guest_environment(once, installation, {"/d/guest.sock", "inner"});
  for (auto const& variables : {once, twice}) {
    CHECK(variables.size() == 6);
    CHECK(has(variables, "GLIBC_TUNABLES=glibc.malloc.arena_max=1:glibc.rtld.optional_static_tls=8192"));
    CHECK(has(variables, "LD_AUDIT=/opt/p/lib/libpegasus-relink.so:/c.so:/d.so"));
    CHECK(has(variables, ours + ":/a.so:/b.so"));
    CHECK(has(variables, "LD_LIBRARY_PATH=/opt/p/lib:/x:/y"));
    CHECK(has(variables, "PEGASUS_DOMAIN=inner"));
    CHECK(has(variables, "PEGASUS_SOCKET=/d/guest.sock"));
  }
}

TEST_CASE("libraries that are missing or that LD_PRELOAD cannot name are errors") {
  CHECK(check_guest_libraries({"/x y/bin", "/x y/lib"}).error().message.find("blank") != std::string::npos);
  CHECK(check_guest_libraries({"/nowhere/bin", "/nowhere/lib"})
            .error()
            .message.find("/nowhere/lib/libcuda.so.1") != std::string::npos);
}
