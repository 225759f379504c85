// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/cfg.h"

#include <algorithm>
#include <utility>

namespace pegasus::software {

namespace {

bool only_leaves(ptx::Function const& f, std::uint32_t at) {
  if (at >= f.instructions.size()) return true;
  ptx::Instruction const& i = f.instructions[at];
  return i.guard == ptx::Instruction::no_guard && (i.mnemonic == "ret" || i.mnemonic == "exit");
}

bool is_guarded(ptx::Instruction const& i) { return i.guard != ptx::Instruction::no_guard; }

// Nodes ordered so that each comes after those it reaches backwards from the exit; number == order.
struct ReverseOrder {
  std::vector<std::uint32_t> order, number;
};

ReverseOrder reverse_post_order(std::vector<std::vector<std::uint32_t>> const& edges, std::uint32_t root) {
  ReverseOrder result;
  result.number.assign(edges.size(), no_block);
  std::vector<std::uint32_t> post;
  std::vector<std::pair<std::uint32_t, std::size_t>> stack{{root, 0}};
  std::vector<bool> seen(edges.size());
  seen[root] = true;
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    if (next == edges[node].size()) {
      post.push_back(node);
      stack.pop_back();
      continue;
    }
    std::uint32_t const to = edges[node][next++];
    if (!seen[to]) {
      seen[to] = true;
      stack.emplace_back(to, 0);
    }
  }
  result.order.assign(post.rbegin(), post.rend());
  for (std::uint32_t i = 0; i < result.order.size(); ++i)
    result.number[result.order[i]] = i;
  return result;
}

} // namespace

std::optional<std::vector<std::uint32_t>>
post_dominators(std::vector<std::vector<std::uint32_t>> const& successors, std::vector<bool> const& ends,
                Effort& effort) {
  auto const n = static_cast<std::uint32_t>(successors.size());
  std::uint32_t const exit = n;
  std::vector<std::vector<std::uint32_t>> forward(n + 1), backward(n + 1);
  for (std::uint32_t b = 0; b < n; ++b) {
    forward[b] = successors[b];
    if (ends[b]) forward[b].push_back(exit);
    for (std::uint32_t const s : forward[b])
      backward[s].push_back(b);
  }
  ReverseOrder const rpo = reverse_post_order(backward, exit);
  std::vector<std::uint32_t> idom(n + 1, no_block);
  idom[exit] = exit;
  std::uint64_t steps = 0;
  auto const meet = [&](std::uint32_t a, std::uint32_t b) {
    for (; a != b; ++steps)
      if (rpo.number[a] > rpo.number[b])
        a = idom[a];
      else
        b = idom[b];
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t const b : rpo.order) {
      if (b == exit) continue;
      steps += forward[b].size();
      if (!effort.spend(std::exchange(steps, 0))) return std::nullopt;
      std::uint32_t found = no_block;
      for (std::uint32_t const s : forward[b])
        if (idom[s] != no_block) found = found == no_block ? s : meet(found, s);
      if (found != idom[b]) {
        idom[b] = found;
        changed = true;
      }
    }
  }
  idom.resize(n);
  for (std::uint32_t& d : idom)
    if (d == exit) d = no_block;
  return idom;
}

Flow flow_of(ptx::Function const& f, ptx::Instruction const& i) {
  bool const guarded = is_guarded(i);
  if (i.mnemonic == "bra") {
    bool const to_end = !i.operands.empty() && only_leaves(f, i.operands[0].target);
    if (to_end && f.entry) return guarded ? Flow::leave_if : Flow::leave;
    return guarded ? Flow::branch : Flow::jump;
  }
  if (i.mnemonic == "brx") return Flow::indexed;
  if (i.mnemonic == "ret" || i.mnemonic == "exit") return guarded ? Flow::leave_if : Flow::leave;
  if (i.mnemonic == "trap" && !guarded) return Flow::leave;
  return Flow::none;
}

ptx::LabelList const* Cfg::label_list(ptx::Instruction const& brx) const {
  if (brx.operands.size() < 2) return nullptr;
  auto const found = label_lists.find(brx.operands[1].symbol);
  return found == label_lists.end() ? nullptr : found->second;
}

// Lanes that leave the function are removed from every path, so only the remaining lanes must pass the
// place where paths meet. Paths that end anywhere except at the last exit are therefore ignored if there
// is another path. (Otherwise an early return deep inside would keep all lanes apart to the end.) A trap
// has no successor.
static bool set_meets(ptx::Function const& f, Cfg& cfg, Effort& effort) {
  auto const n = static_cast<std::uint32_t>(cfg.blocks.size());
  std::vector<std::vector<std::uint32_t>> edges(n), backward(n);
  std::vector<bool> ends(n), main(n);
  std::uint32_t last_end = no_block;
  for (std::uint32_t b = 0; b < n; ++b) {
    BasicBlock const& block = cfg.blocks[b];
    for (std::uint32_t const s : block.successors)
      backward[s].push_back(b);
    bool const trap = block.first < block.last && f.instructions[block.last - 1].mnemonic == "trap";
    if (!block.successors.empty() || trap) continue;
    ends[b] = true;
    last_end = b;
  }
  if (last_end != no_block)
    for (std::uint32_t const b : reverse_post_order(backward, last_end).order)
      main[b] = true;
  for (std::uint32_t b = 0; b < n; ++b)
    for (std::uint32_t const s : cfg.blocks[b].successors)
      if (main[s] || !main[b]) edges[b].push_back(s);
  auto const meets = post_dominators(edges, ends, effort);
  for (std::uint32_t b = 0; meets && b < n; ++b) {
    std::uint32_t const meet = (*meets)[b];
    cfg.blocks[b].meet = meet;
    if (cfg.blocks[b].successors.size() > 1 && meet != no_block) cfg.blocks[meet].is_meet = true;
  }
  return meets.has_value();
}

std::optional<Cfg> make_cfg(ptx::Function const& f, Effort& effort) {
  Cfg cfg;
  for (ptx::LabelList const& list : f.label_lists)
    cfg.label_lists.emplace(list.name, &list);
  auto const n = static_cast<std::uint32_t>(f.instructions.size());
  std::vector<bool> leader(n + 1);
  leader[0] = true;
  for (std::uint32_t at = 0; at < n; ++at) {
    ptx::Instruction const& i = f.instructions[at];
    Flow const flow = flow_of(f, i);
    if (flow == Flow::jump || flow == Flow::branch) leader[i.operands[0].target] = true;
    if (flow == Flow::indexed)
      if (auto const* list = cfg.label_list(i)) {
        if (!effort.spend(list->targets.size())) return std::nullopt;
        for (std::uint32_t const target : list->targets)
          leader[target] = true;
      }
    if (flow != Flow::none && flow != Flow::leave_if) leader[at + 1] = true;
  }
  cfg.block_at.assign(n + 1, no_block);
  for (std::uint32_t at = 0; at <= n; ++at) {
    if (!leader[at]) continue;
    if (!cfg.blocks.empty()) cfg.blocks.back().last = at;
    cfg.block_at[at] = static_cast<std::uint32_t>(cfg.blocks.size());
    cfg.blocks.push_back({at, n, {}, no_block, false});
  }
  for (std::uint32_t b = 0; b < cfg.blocks.size(); ++b) {
    BasicBlock& block = cfg.blocks[b];
    bool falls = block.last < n || cfg.block_at[n] != no_block;
    if (block.first < block.last) {
      ptx::Instruction const& end = f.instructions[block.last - 1];
      Flow const flow = flow_of(f, end);
      if (flow == Flow::jump || flow == Flow::branch)
        block.successors.push_back(cfg.block_at[end.operands[0].target]);
      if (flow == Flow::indexed)
        if (auto const* list = cfg.label_list(end))
          for (std::uint32_t const target : list->targets)
            block.successors.push_back(cfg.block_at[target]);
      if (flow == Flow::jump || flow == Flow::leave || (flow == Flow::indexed && !is_guarded(end)))
        falls = false;
    }
    if (falls && b + 1 < cfg.blocks.size()) block.successors.push_back(b + 1);
    std::sort(block.successors.begin(), block.successors.end());
    block.successors.erase(std::unique(block.successors.begin(), block.successors.end()),
                           block.successors.end());
  }
  if (!set_meets(f, cfg, effort)) return std::nullopt;
  return cfg;
}

} // namespace pegasus::software
