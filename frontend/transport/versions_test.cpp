// SPDX-License-Identifier: Apache-2.0
#include "frontend/transport/versions.h"

#include "frontend/protocol/xen.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <string>

using namespace pegasus::frontend;

TEST_CASE("a request names the range of versions, in both transports' form") {
  pegasus_connect_request local{};
  set_versions(local, {3, 7});
  CHECK((local.version == 7 && local.oldest == 3 && local.features == spoken_features));
  pegasus_xen_connect_request xen{};
  set_versions(xen, {3, 7});
  CHECK((xen.version == 7 && xen.oldest == 3 && xen.features == spoken_features));
  pegasus_xen_connect_request first{};
  set_versions(first, {1, 1});
  CHECK((first.version == 1 && first.oldest == 0 && first.features == 0)); // nothing where a name was
}

TEST_CASE("a version is narrowed once, and only if it is spoken") {
  SpokenVersions spoken{1, 3};
  CHECK(spoken.narrow_to_version_1());
  CHECK((spoken.contain(1) && !spoken.contain(2)));
  CHECK_FALSE(spoken.narrow_to_version_1());
  SpokenVersions later{2, 3};
  CHECK_FALSE(later.narrow_to_version_1());
  CHECK((later.contain(3) && !later.contain(1)));
}

TEST_CASE("a reply in a version that is not spoken is refused with both ranges and a remedy") {
  pegasus_connect_reply reply{};
  auto const refusal = [&](SpokenVersions spoken) {
    TransportError error{};
    return accept_version(reply, spoken, error) ? std::string() : std::string(error.message);
  };
  reply.version = 5;
  CHECK(refusal({5, 5}).empty());
  CHECK(refusal({1, 9}).empty());
  CHECK(refusal({6, 9}) ==
        "the accelerator daemon answers in protocol version 5, this library speaks versions "
        "6 to 9: upgrade pegasusd");
  CHECK(refusal({1, 4}).find("speaks versions 1 to 4: upgrade the guest libraries") != std::string::npos);
  reply.error = EPROTONOSUPPORT;
  std::strcpy(reply.message, "both ranges: upgrade pegasusd");
  CHECK(refusal({6, 9}) == "the accelerator daemon refused this program: both ranges: upgrade pegasusd");
}

TEST_CASE("the refusal of a pegasusd of version 1 is known by its sentence") {
  CHECK(refuses_all_but_version_1("protocol version 2 is not spoken here, version 1 is: install the guest "
                                  "libraries of this pegasusd's release"));
  CHECK_FALSE(refuses_all_but_version_1("this program's guest libraries speak protocol version 1, pegasusd "
                                        "speaks versions 2 to 3: upgrade the guest libraries"));
  CHECK_FALSE(refuses_all_but_version_1("this guest has 16 tasks, the limit per guest"));
}
