// SPDX-License-Identifier: Apache-2.0
// Limits and SLOs that are promised, and domains that wait for them.
#include "domA/daemon/testing/daemon_fixture.h"

using namespace pegasus;
using namespace pegasus::daemon;
using namespace pegasus::daemon::testing;

TEST_CASE("a domain whose memory limit cannot be kept is refused, until it can") {
  Fixture f(stays);
  Programs programs{f, {}};
  CHECK(f.promise("first", 700).empty());
  CHECK(f.promise("second", 700).empty());
  CHECK(programs.error("first") == 0);
  pegasus_connect_reply const connect_reply = programs.ask("second");
  CHECK(connect_reply.error == ENOSPC);
  CHECK(std::string(connect_reply.message) ==
        "domain second needs 700M of accelerator memory; 324M is free: end a program of "
        "another domain, set less, or start pegasusd with --admission wait");
  CHECK(f.domain("second").not_admitted() == connect_reply.message);
  CHECK_FALSE(f.domain("second").waiting());
  CHECK(programs.error("without limit") != 0); // the name is not valid
  CHECK(programs.error("without_limit") == 0);
  CHECK(programs.error("first") == 0); // it is admitted
  programs.end("first");
  CHECK(programs.error("second") == 0);
  CHECK(f.domain("second").not_admitted().empty());
}

TEST_CASE("SLOs of an accelerator's domains add up to 1 at most; others may go to another") {
  Fixture f(stays, 2);
  Programs programs{f, {}};
  for (char const* name : {"a", "b", "c"})
    CHECK(f.promise(name, 0, 0.6).empty());
  CHECK(programs.error("a") == 0);
  CHECK(programs.error("b") == 0);
  CHECK(f.domain("a").accelerator() != f.domain("b").accelerator());
  CHECK(std::string(programs.ask("c").message)
            .starts_with("domain c needs 0.600 of an accelerator's time; 0.400 is not reserved"));
  CHECK(f.promise("c", 0, 0.4).empty());
  CHECK(programs.error("c") == 0);
}

TEST_CASE("domains wait in the order in which they came") {
  Fixture f(stays, 1, Admission::wait);
  Programs programs{f, {}};
  CHECK(f.promise("first", 700).empty());
  CHECK(f.promise("second", 800).empty());
  CHECK(f.promise("third", 300).empty());
  CHECK(programs.error("first") == 0);
  CHECK(programs.error("second") == PEGASUS_ASK_AGAIN);
  CHECK(programs.error("third") == PEGASUS_ASK_AGAIN); // enough is free, but the second waits
  CHECK(f.domain("third").waiting());
  CHECK(f.domain("third").not_admitted() ==
        "domain third needs 300M of accelerator memory; 0 is free; 1 waiting domain before it");
  programs.end("first");
  CHECK(programs.error("third") == PEGASUS_ASK_AGAIN);
  CHECK(programs.error("second") == 0);
  CHECK_FALSE(f.domain("second").waiting());
  CHECK(programs.error("third") == PEGASUS_ASK_AGAIN);
  programs.end("second");
  CHECK(programs.error("third") == 0);
}

TEST_CASE("a domain that waits for a chosen accelerator delays none on another") {
  Fixture f(stays, 2, Admission::wait);
  Programs programs{f, {}};
  for (char const* name : {"first", "second", "third"})
    CHECK(f.promise(name, 700).empty());
  CHECK(f.pin("first", "0").error().empty());
  CHECK(f.pin("second", "0").error().empty());
  CHECK(programs.error("first") == 0);
  CHECK(programs.error("second") == PEGASUS_ASK_AGAIN);
  CHECK(programs.error("third") == 0);
  CHECK(f.domain("third").accelerator() == 1);
}

TEST_CASE("while a domain waits, those without a limit leave room for it") {
  Fixture f(stays, 1, Admission::wait);
  Programs programs{f, {}};
  CHECK(f.promise("first", 700).empty());
  CHECK(f.promise("second", 800).empty());
  CHECK(programs.error("any") == 0);
  CHECK(f.figures("any").memory_limit_bytes == 1024ull << 20); // the two limits do not fit together
  CHECK(programs.error("first") == 0);
  CHECK(f.figures("any").memory_limit_bytes == 324ull << 20);
  CHECK(programs.error("second") == PEGASUS_ASK_AGAIN);
  CHECK(f.figures("any").memory_limit_bytes == 224ull << 20);
  CHECK(f.remove("second").empty());
  CHECK(f.figures("any").memory_limit_bytes == 324ull << 20);
  programs.end("first");
  CHECK(f.figures("any").memory_limit_bytes == 324ull << 20); // an idle domain's limit is kept free, too
}

TEST_CASE("an invalid domain name is the error, even if there is no room") {
  Fixture f(stays);
  auto const bad = f.daemon->sessions().admit("../etc", {}, {}, nullptr);
  REQUIRE_FALSE(bad);
  CHECK(bad.error().error == EINVAL);
  CHECK(bad.error().message.find("\"../etc\" is not a domain's name") == 0);
}

TEST_CASE("a promise that no accelerator can ever keep is refused, also where others wait") {
  Admission const admission = GENERATE(Admission::refuse, Admission::wait);
  Fixture f(stays, 2, admission);
  f.daemon->sessions().set_guest(7, "large", {.memory = std::uint64_t{2} << 30});
  auto const connect_reply = f.daemon->sessions().admit(7, {}, {}, nullptr);
  REQUIRE_FALSE(connect_reply);
  CHECK(connect_reply.error().error == ENOSPC);
  CHECK(connect_reply.error().message ==
        "domain large needs 2G of accelerator memory; there is 1G: set memory= to that or less");
  CHECK_FALSE(f.domain("large").waiting());
}

TEST_CASE("while tasks are being ended no domain is refused, but asked to try again") {
  Fixture f(stays);
  Programs programs{f, {}};
  CHECK(f.promise("first", 700).empty());
  CHECK(f.promise("second", 700).empty());
  CHECK(programs.error("first") == 0);
  CHECK(f.remove("first", true).empty()); // its worker is not reaped yet
  auto const connect_reply = f.daemon->sessions().admit("second", {}, {}, nullptr);
  REQUIRE_FALSE(connect_reply);
  CHECK(connect_reply.error().error == PEGASUS_ASK_AGAIN);
  CHECK(f.domain("second").not_admitted().empty());
  CHECK(f.run_until([&] { return f.domain("first").name().empty(); }));
  CHECK(programs.error("second") == 0);
}

TEST_CASE("a domain in use is not promised more than can be kept") {
  Fixture f(stays);
  Programs programs{f, {}};
  CHECK(f.promise("first", 700, 0.5).empty());
  CHECK(f.promise("second", 200, 0.2).empty());
  CHECK(programs.error("first") == 0);
  CHECK(programs.error("second") == 0);
  CHECK(f.promise("second", 400, 0.2) ==
        "domain second needs 400M of accelerator memory; 324M is free on its accelerator 0: "
        "set less, or end a program of another domain");
  CHECK(f.promise("second", 200, 0.6).find("0.600 of an accelerator's time") != std::string::npos);
  CHECK(f.figures("second").memory_limit_bytes == 200 << 20);
  CHECK(f.promise("second", 324, 0.5).empty());
  CHECK(f.promise("first", 100, 0.1).empty());
}

TEST_CASE("a domain whose share is smaller than a context is refused, until it has more") {
  Fixture f(stays, 1, Admission::refuse, std::uint64_t{512} << 20);
  Programs programs{f, {}};
  f.daemon->sessions().set_guest(7, "guest", {.memory = std::uint64_t{256} << 20});
  auto const refused = f.daemon->sessions().admit(7, {}, {}, nullptr);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().error == ENOSPC);
  CHECK(refused.error().message ==
        "domain guest's share of 256M of accelerator memory is smaller than a context on "
        "this GPU (512M): give it more memory");
  CHECK(f.domain("guest").not_admitted() == refused.error().message);
  CHECK(f.promise("first", 700).empty());
  CHECK(programs.error("first") == 0);
  pegasus_connect_reply const rest = programs.ask("any"); // no limit: what the others leave
  CHECK(rest.error == ENOSPC);
  CHECK(std::string(rest.message).starts_with("domain any's share of 68M of accelerator memory is smaller"));
  programs.end("first");
  CHECK(f.remove("first").empty());
  CHECK(programs.error("any") == 0);
  CHECK(f.domain("any").not_admitted().empty());
}

TEST_CASE("a limit that is smaller than a context is not set") {
  Fixture f(stays, 1, Admission::refuse, std::uint64_t{512} << 20);
  CHECK(f.promise("small", 256) == "memory=256M is less than a program's context takes: set 512M or more");
  CHECK(f.domain("small").name().empty());
  CHECK(f.promise("small", 512).empty());
}
