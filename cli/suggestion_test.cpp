// SPDX-License-Identifier: Apache-2.0
#include "cli/suggestion.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace pegasus::cli;

namespace {

std::vector<std::string> const option_names{"--policy",      "--policy-plugin", "--tick",    "--memory",
                                            "--host-memory", "--accelerator",   "--private", "-n"};

} // namespace

TEST_CASE("the edit distance counts letters added, left out, replaced and exchanged") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("tick", "") == 4);
  CHECK(edit_distance("", "tick") == 4);
  CHECK(edit_distance("polcy", "policy") == 1);
  CHECK(edit_distance("policyy", "policy") == 1);
  CHECK(edit_distance("pocily", "policy") == 2);
  CHECK(edit_distance("oplicy", "policy") == 1);
  CHECK(edit_distance("tock", "tick") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("the nearest name is suggested if it is near") {
  CHECK(nearest("--polcy", option_names) == "--policy");
  CHECK(nearest("-polcy", option_names) == "--policy");
  CHECK(nearest("--memroy", option_names) == "--memory");
  CHECK(nearest("--tikc", option_names) == "--tick");
  CHECK(nearest("--accel", option_names) == "--accelerator");
  CHECK_FALSE(nearest("--frobnicate", option_names));
  CHECK_FALSE(nearest("--tuna", option_names));
  CHECK_FALSE(nearest("--", option_names));
  CHECK_FALSE(nearest("", option_names));
  CHECK_FALSE(nearest(std::string(100'000, 'p'), option_names));
  CHECK_FALSE(nearest("--policy", {}));
}

TEST_CASE("a beginning of several names suggests none of them for itself") {
  CHECK_FALSE(nearest("--p", option_names));
  CHECK(nearest("--polic", option_names) == "--policy"); // one letter is missing
  CHECK_FALSE(nearest("--pol", option_names));
}

TEST_CASE("a suggestion is a question") {
  CHECK(did_you_mean("--polcy", option_names) == "; did you mean --policy?");
  CHECK(did_you_mean("--frobnicate", option_names).empty());
}
