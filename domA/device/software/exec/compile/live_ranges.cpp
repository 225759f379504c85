// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/live_ranges.h"

#include <algorithm>

namespace pegasus::software {

namespace {

// A limit for hostile code: beyond it the remaining registers are live everywhere.
constexpr std::uint64_t max_steps = 50'000'000;

enum class Kind : std::uint8_t { use, define, kill };
struct Reference {
  std::uint32_t position;
  Kind kind;
};

class Finder {
public:
  explicit Finder(DraftFunction const& draft) : draft_(draft) {}
  std::vector<LiveRange> run();

private:
  void collect();
  LiveRange of(std::span<Reference const>);
  void walk_up(std::uint32_t block, LiveRange&);
  std::uint32_t start(std::uint32_t block) const { return 2 * draft_.block_start[block]; }
  std::uint32_t end(std::uint32_t block) const {
    return 2 * (block + 1 < blocks_ ? draft_.block_start[block + 1] : ops_) - 1;
  }

  DraftFunction const& draft_;
  std::uint32_t const ops_ = static_cast<std::uint32_t>(draft_.ops.size());
  std::uint32_t const blocks_ = static_cast<std::uint32_t>(draft_.block_start.size());
  std::vector<std::uint32_t> block_of_; // by op
  std::vector<std::vector<std::uint32_t>> predecessors_;
  std::vector<Reference> references_; // by register, in order
  std::vector<std::size_t> first_;    // of each register in references_
  // For the current register: blocks that define it completely, and blocks already visited.
  std::vector<std::uint32_t> kills_, walked_;
  std::uint32_t stamp_ = 0;
  std::uint64_t steps_ = 0;
};

void Finder::collect() {
  block_of_.resize(ops_);
  for (std::uint32_t b = 0; b < blocks_; ++b)
    for (std::uint32_t i = draft_.block_start[b]; 2 * i < end(b); ++i)
      block_of_[i] = b;
  predecessors_.resize(blocks_);
  for (std::uint32_t b = 0; b < blocks_; ++b)
    for (std::uint32_t const s : draft_.block_successors[b])
      predecessors_[s].push_back(b);
  first_.assign(draft_.registers.size() + 1, 0);
  auto const count = [this](std::uint32_t r) { ++first_[r + 1]; };
  for (Draft const& d : draft_.ops)
    for_registers(d, count, [&](std::uint32_t r, bool) { count(r); });
  for (std::size_t r = 1; r < first_.size(); ++r)
    first_[r] += first_[r - 1];
  references_.resize(first_.back());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for (std::uint32_t i = 0; i < ops_; ++i)
    for_registers(
        draft_.ops[i],
        [&](std::uint32_t r) {
          references_[next[r]++] = {2 * i, Kind::use};
        },
        [&](std::uint32_t r, bool kills) {
          references_[next[r]++] = {2 * i + 1, kills ? Kind::kill : Kind::define};
        });
}

// The value is needed at the block's start: it is live in all code that can run before, up to its definition.
void Finder::walk_up(std::uint32_t block, LiveRange& range) {
  std::vector<std::uint32_t> work{block};
  range.start = std::min(range.start, start(block));
  while (!work.empty() && steps_ < max_steps) {
    std::uint32_t const b = work.back();
    work.pop_back();
    for (std::uint32_t const p : predecessors_[b]) {
      ++steps_;
      range.end = std::max(range.end, end(p));
      if (kills_[p] == stamp_ || walked_[p] == stamp_) continue;
      walked_[p] = stamp_;
      range.start = std::min(range.start, start(p));
      work.push_back(p);
    }
  }
}

LiveRange Finder::of(std::span<Reference const> all) {
  LiveRange range{all.front().position, all.back().position};
  std::uint32_t const first_block = block_of_[all.front().position / 2];
  bool const one_block = first_block == block_of_[all.back().position / 2];
  if (one_block && all.front().kind == Kind::kill) return range;
  ++stamp_;
  for (Reference const& r : all)
    if (r.kind == Kind::kill) kills_[block_of_[r.position / 2]] = stamp_;
  std::uint32_t block = no_block;
  bool exposed_possible = false;
  for (Reference const& r : all) {
    std::uint32_t const b = block_of_[r.position / 2];
    if (b != block) {
      block = b;
      exposed_possible = true; // not defined in this block yet
    }
    if (r.kind == Kind::kill) exposed_possible = false;
    if (r.kind != Kind::use || !exposed_possible) continue;
    exposed_possible = false;
    walk_up(b, range);
  }
  return range;
}

std::vector<LiveRange> Finder::run() {
  collect();
  kills_.assign(blocks_, 0);
  walked_.assign(blocks_, 0);
  std::vector<LiveRange> ranges(draft_.registers.size());
  for (std::size_t r = 1; r < ranges.size(); ++r) {
    std::span const all(references_.data() + first_[r], first_[r + 1] - first_[r]);
    if (all.empty() || draft_.registers[r].constant) continue;
    if (draft_.registers[r].pinned || steps_ >= max_steps)
      ranges[r] = {0, 2 * ops_};
    else
      ranges[r] = of(all);
  }
  return ranges;
}

} // namespace

std::vector<LiveRange> live_ranges(DraftFunction const& draft) { return Finder(draft).run(); }

} // namespace pegasus::software
