// SPDX-License-Identifier: Apache-2.0
// Which fields of a saved state decide what happens later: each is left out of all restarts of a story. Takes minutes:
//
//   build/tests/dispatcher_state_test "[.fields]"
//
// A field that is printed either decides nothing there (statistics, a hint for later), or the story has to be
// widened, or it need not be saved.
#include "domA/scheduler/testing/turmoil.h"
#include "domA/state/state.pb.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <iostream>
#include <set>
#include <stdexcept>

using namespace pegasus;
using namespace pegasus::scheduler;
using namespace pegasus::scheduler::testing;

namespace {

// "domain/cap/level": the fields of groups with their owner's.
using Visit = std::function<bool(std::string const& path)>; // returns whether the field is left out

void leave_out(state::Fields& fields, std::string const& owner, Visit const& visit) {
  for (int i = fields.field_size() - 1; i >= 0; --i) {
    state::Field& field = *fields.mutable_field(i);
    std::string const path = owner + "/" + field.name();
    if (field.has_groups())
      for (state::Fields& group : *field.mutable_groups()->mutable_group())
        leave_out(group, path, visit);
    if (visit(path)) fields.mutable_field()->DeleteSubrange(i, 1);
  }
}

void leave_out(state::Dispatcher& state, Visit const& visit) {
  leave_out(*state.mutable_fields(), "dispatcher", visit);
  leave_out(*state.mutable_policy()->mutable_fields(), state.policy().name(), visit);
  for (state::Domain& domain : *state.mutable_domains())
    leave_out(*domain.mutable_fields(), "domain", visit);
  for (state::Task& task : *state.mutable_tasks())
    leave_out(*task.mutable_fields(), "task", visit);
}

constexpr int steps_of_story = 200;

// What is told in each step of the story.
std::vector<std::string> story(std::string_view policy, std::uint64_t seed,
                               VirtualDevice::Change const& seen) {
  Turmoil turmoil({policy}, seed);
  std::vector<std::string> told;
  for (int step = 0; step < steps_of_story; ++step) {
    turmoil.step();
    (void)turmoil.device().restart(seen);
    told.push_back(turmoil.device().take_told());
  }
  return told;
}

bool matters(std::string const& path, std::string_view policy, std::uint64_t seed,
             std::vector<std::string> const& expected) {
  Turmoil turmoil({policy}, seed);
  turmoil.device().restart_at_each_point([&](state::Dispatcher& state) {
    leave_out(state, [&](std::string const& each) { return each == path; });
  });
  for (std::string const& told : expected)
    try {
      turmoil.step();
      if (turmoil.device().take_told() != told) return true;
    } catch (std::logic_error const&) {
      return true;
    }
  return false;
}

} // namespace

TEST_CASE("which fields of the state decide what happens later", "[.fields]") {
  char const* const only = std::getenv("PEGASUS_POLICY");
  std::set<std::string> left;
  for (policies::Entry const& policy : policies::registry()) {
    if (only != nullptr && policy.name != only) continue;
    std::set<std::string> paths = left;
    bool const first = left.empty();
    std::vector<std::vector<std::string>> told;
    for (std::uint64_t seed = 0; seed < 4; ++seed)
      told.push_back(story(policy.name, seed, [&](state::Dispatcher& state) {
        leave_out(state, [&](std::string const& path) {
          if (path.starts_with(std::string(policy.name) + "/") || first) paths.insert(path);
          return false;
        });
      }));
    left.clear();
    for (std::string const& path : paths) {
      bool decides = false;
      for (std::uint64_t seed = 0; seed < told.size() && !decides; ++seed)
        decides = matters(path, policy.name, seed, told[seed]);
      if (decides) continue;
      std::cout << "under " << policy.name << ": " << path << std::endl;
      if (!path.starts_with(std::string(policy.name) + "/")) left.insert(path);
    }
  }
}
