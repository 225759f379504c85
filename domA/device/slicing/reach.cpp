// SPDX-License-Identifier: Apache-2.0
#include "domA/device/slicing/reach.h"

#include "domA/device/ptx/reader.h"

#include <fmt/core.h>
#include <map>

namespace pegasus::slicing {
namespace {

using Kind = Statement::Kind;

class Walk {
public:
  explicit Walk(std::vector<Statement> const& statements)
      : statements_(statements), needed_(statements.size()) {
    for (std::size_t i = 0; i < statements.size(); ++i) {
      Kind const kind = statements[i].kind;
      if (kind == Kind::header || kind == Kind::target) needed_[i] = true;
      if (kind == Kind::header || kind == Kind::target) continue;
      for (std::string_view const name : statements[i].names)
        by_name_[name].push_back(i);
    }
  }

  void add(std::string_view name) {
    auto const found = by_name_.find(name);
    if (found == by_name_.end()) return;
    for (std::size_t const i : found->second)
      if (!needed_[i]) {
        needed_[i] = true;
        if (statements_[i].kind != Kind::variable) open_.push_back(i);
      }
    by_name_.erase(found);
  }

  std::vector<bool> run() {
    while (!open_.empty()) {
      std::size_t const i = open_.back();
      open_.pop_back();
      ptx::Reader in(statements_[i].text);
      for (; !in.is(ptx::Token::Kind::end); in.advance())
        if (in.is(ptx::Token::Kind::identifier)) add(in.token().text);
    }
    return std::move(needed_);
  }

private:
  std::vector<Statement> const& statements_;
  std::vector<bool> needed_;
  std::vector<std::size_t> open_; // still to be read
  std::map<std::string_view, std::vector<std::size_t>> by_name_;
};

} // namespace

tl::expected<std::vector<bool>, std::string> reach(std::vector<Statement> const& statements,
                                                   std::string_view kernel) {
  Walk walk(statements);
  walk.add(kernel);
  std::vector<bool> needed = walk.run();
  bool found = false;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    if (!needed[i] || statements[i].kind != Kind::entry) continue;
    if (statements[i].names.front() != kernel)
      return tl::unexpected(
          fmt::format("its code names the kernel {}", ptx::quoted(statements[i].names.front())));
    found |= statements[i].defined;
  }
  if (!found) return tl::unexpected(fmt::format("the text has no kernel {}", ptx::quoted(kernel)));
  return needed;
}

} // namespace pegasus::slicing
