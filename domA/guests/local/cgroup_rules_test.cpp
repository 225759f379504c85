// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/local/cgroup_rules.h"

#include <catch2/catch.hpp>

using pegasus::local::CgroupRules;

namespace {

CgroupRules rules_of(std::vector<std::string> const& rules) { return CgroupRules::parse(rules).value(); }

std::string usual_name(std::string const& cgroups) {
  return CgroupRules::usual().domain_of(cgroups).value_or("refused");
}

std::string refusal(std::vector<std::string> const& rules) {
  auto const parsed = CgroupRules::parse(rules);
  return parsed ? "accepted" : parsed.error();
}

} // namespace

TEST_CASE("cgroup v2: one line, one path") {
  CHECK(usual_name("0::/system.slice/slurmstepd.scope/job_71/step_0/user/task_0\n") == "job-71");
  CHECK(usual_name("0::/user.slice/user-1000.slice/session-3.scope\n") == "user-1000");
  CHECK(usual_name("0::/machine.slice/machine-web.scope/payload\n") == "machine-web");
  CHECK(usual_name("0::/machine.slice/libpod-0123456789ab" + std::string(52, 'c') + ".scope/container\n") ==
        "libpod-0123456789ab");
}

TEST_CASE("cgroup v1: a path for each hierarchy, most of them of no meaning") {
  CHECK(usual_name("12:freezer:/slurm/uid_1000/job_71/step_batch\n11:cpu,cpuacct:/\n"
                   "1:name=systemd:/system.slice/slurmd.service\n0::/\n") == "job-71");
  CHECK(usual_name("3:memory:/\n1:name=systemd:/user.slice/user-7.slice\n") == "user-7");
  CHECK(usual_name("3:memory:/libpod_parent/libpod-0123456789abcd\n") == "libpod-0123456789ab");
}

TEST_CASE("a job counts before a user, in whichever hierarchy and order they are") {
  CHECK(usual_name("2:freezer:/slurm/job_5\n1:name=systemd:/user.slice/user-7.slice\n") == "job-5");
  CHECK(usual_name("2:name=systemd:/user.slice/user-7.slice\n1:freezer:/slurm/job_5\n") == "job-5");
}

TEST_CASE("what a user makes below a slice of his own does not count") {
  CHECK(usual_name("0::/user.slice/user-7.slice/user@7.service/job_5\n") == "user-7");
  CHECK(usual_name("0::/user.slice/user-7.slice/user@7.service/user-0.slice/machine-web.scope\n") ==
        "user-7");
}

TEST_CASE("two names by one rule are none") {
  CHECK(usual_name("2:freezer:/job_5\n1:pids:/job_6\n") == "refused");
  CHECK(usual_name("3:freezer:/job_5\n2:pids:/job_6\n1:cpu:/job_6\n") == "refused");
  CHECK(usual_name("2:freezer:/job_5\n1:pids:/job_5\n") == "job-5");
  CHECK(usual_name("3:cpu:/user-1.slice\n2:pids:/user-2.slice\n1:freezer:/job_6\n") == "job-6");
}

TEST_CASE("no rule, no domain; a part of a component is not the component") {
  for (char const* const text :
       {"", "\n", "0::/\n", "0::/user.slice\n", "0::/myjob_5\n", "0::/job_5x\n",
        "0::/user-5.slice (deleted)\n", "0::/../job_\n", "0::job_5\n", "job_5\n", "0:/job_5\n", "::\n",
        "0::/machine-.scope\n", "0::/libpod-0123\n", "0::/libpod-conmon-0123456789ab.scope\n"}) {
    INFO(text);
    CHECK(usual_name(text) == "refused");
  }
}

TEST_CASE("systemd's escapes are decoded; an invalid name is refused") {
  CHECK(usual_name(R"(0::/machine.slice/machine-qemu\x2d1\x2dweb.scope)") == "machine-qemu-1-web");
  CHECK(usual_name(R"(0::/machine-a\x2fb.scope)") == "refused");
  CHECK(usual_name(R"(0::/machine-a\x2.scope)") == "refused");
  CHECK(usual_name("0::/machine-" + std::string(80, 'x') + ".scope") == "refused");
  auto const refused = CgroupRules::usual().domain_of("0::/machine-a b\x1b.scope");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().find("\"machine-a b?\", which is not a domain's name") != std::string::npos);
}

TEST_CASE("an operator's rules replace the default ones") {
  CgroupRules const rules = rules_of({R"(team-(\w+)\.slice=\1)", R"((lab)-(\d)=\0.\2.\1)"});
  CHECK(rules.domain_of("0::/team-red.slice/a\n").value() == "red");
  CHECK(rules.domain_of("0::/lab-7\n").value() == "lab-7.7.lab");
  CHECK_FALSE(rules.domain_of("0::/job_5\n"));
}

TEST_CASE("a rule that begins with a slash is matched from the root") {
  CgroupRules const rules = rules_of({R"(/slurm/uid_\d+/job_(\d+)=job-\1)"});
  CHECK(rules.domain_of("1:freezer:/slurm/uid_7/job_5/step_0\n").value() == "job-5");
  CHECK_FALSE(rules.domain_of("1:freezer:/mine/slurm/uid_7/job_5\n"));
  CHECK_FALSE(rules.domain_of("1:freezer:/slurm/uid_7/job_5x\n"));
}

TEST_CASE("an equals sign may be in the regular expression") {
  CHECK(rules_of({"a=(.)=is-\\1"}).domain_of("0::/a=b").value() == "is-b");
}

TEST_CASE("what is not a rule is refused with the reason") {
  for (char const* const rule : {"", "job", "=name", "job=", "job=a b", "job=-x", "job=../x", "job=\\",
                                 "job=\\x", "(=x", "[=x", "a{2,1}=x", "(a)\\1=x", "job=\\1", "(a)=\\2"}) {
    INFO(rule);
    CHECK(refusal({"fine=x", rule}).find("\"" + std::string(rule) + "\" is not a rule REGEX=NAME: ") == 0);
  }
  CHECK(refusal({"(a)=\\2"}).find("the regular expression has 1 groups") != std::string::npos);
  CHECK(refusal({"(a)=\\1", "x=y.z_-"}) == "accepted");
}

TEST_CASE("a pattern that is exponential with backtracking is matched in time") {
  CgroupRules const rules = rules_of({"(a+)+b=x"});
  CHECK_FALSE(rules.domain_of("0::/" + std::string(255, 'a') + "\n"));
}
