// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/cfg.h"

#include <catch2/catch.hpp>
#include <random>
#include <set>

using namespace pegasus::software;
using Edges = std::vector<std::vector<std::uint32_t>>;

namespace {

std::optional<std::vector<std::uint32_t>> post_dominators(Edges const& edges, std::vector<bool> const& ends) {
  Effort effort;
  return pegasus::software::post_dominators(edges, ends, effort);
}

std::vector<bool> ends_of(Edges const& edges) {
  std::vector<bool> ends;
  for (auto const& s : edges)
    ends.push_back(s.empty());
  return ends;
}

// By definition: m post-dominates n if no path from n reaches the exit without m.
bool post_dominates(Edges const& edges, std::uint32_t m, std::uint32_t n) {
  if (m == n) return true;
  std::set<std::uint32_t> seen{n};
  std::vector<std::uint32_t> work{n};
  while (!work.empty()) {
    std::uint32_t const at = work.back();
    work.pop_back();
    if (edges[at].empty()) return false;
    for (std::uint32_t const s : edges[at])
      if (s != m && seen.insert(s).second) work.push_back(s);
  }
  return true;
}

bool reaches_exit(Edges const& edges, std::uint32_t n) {
  return !post_dominates(edges, static_cast<std::uint32_t>(edges.size()), n);
}

} // namespace

TEST_CASE("post-dominators of plain shapes") {
  Edges const diamond{{1, 2}, {3}, {3}, {}};
  CHECK(post_dominators(diamond, ends_of(diamond)) == std::vector<std::uint32_t>{3, 3, 3, no_block});
  Edges const loop{{1}, {2, 3}, {1}, {}};
  CHECK(post_dominators(loop, ends_of(loop)) == std::vector<std::uint32_t>{1, 3, 1, no_block});
  Edges const two_ends{{1, 2}, {}, {}};
  CHECK(post_dominators(two_ends, ends_of(two_ends)) ==
        std::vector<std::uint32_t>{no_block, no_block, no_block});
}

TEST_CASE("post-dominators of random graphs agree with the definition") {
  std::mt19937 engine(5);
  auto const random = [&engine] { return static_cast<std::uint32_t>(engine()); };
  for (int round = 0; round < 300; ++round) {
    std::uint32_t const n = 2 + random() % 9;
    Edges edges(n);
    for (std::uint32_t b = 0; b + 1 < n; ++b) {
      std::set<std::uint32_t> to;
      for (std::uint32_t k = 0, m = 1 + random() % 2; k < m; ++k)
        to.insert(random() % n);
      if (random() % 8 != 0) edges[b].assign(to.begin(), to.end());
    }
    auto const got = post_dominators(edges, ends_of(edges)).value();
    for (std::uint32_t b = 0; b < n; ++b) {
      if (!reaches_exit(edges, b)) {
        CHECK(got[b] == no_block);
        continue;
      }
      // The immediate one: a post-dominator that every other one post-dominates.
      std::uint32_t want = no_block;
      for (std::uint32_t m = 0; m < n; ++m)
        if (m != b && reaches_exit(edges, m) && post_dominates(edges, m, b) &&
            (want == no_block || post_dominates(edges, want, m)))
          want = m;
      CHECK(got[b] == want);
    }
  }
}

TEST_CASE("what is more effort than is left is given up") {
  Edges const diamond{{1, 2}, {3}, {3}, {}};
  Effort effort(3);
  CHECK_FALSE(pegasus::software::post_dominators(diamond, ends_of(diamond), effort));
  CHECK_FALSE(effort.spend(0));
}
