// SPDX-License-Identifier: Apache-2.0
#include "domA/device/slicing/split.h"

#include "domA/device/ptx/debug_directives.h"
#include "domA/device/ptx/reader.h"

#include <algorithm>
#include <array>
#include <fmt/core.h>

namespace pegasus::slicing {
namespace {

using ptx::Reader;
using ptx::Token;
using Kind = Statement::Kind;

bool about_clusters(std::string_view directive) {
  static constexpr std::array<std::string_view, 4> names{"reqnctapercluster", "explicitcluster",
                                                         "maxclusterrank", "blocksareclusters"};
  return std::find(names.begin(), names.end(), directive) != names.end();
}

class Splitter {
public:
  explicit Splitter(std::string_view text) : in_(text) {}
  bool run();
  [[nodiscard]] std::string error() const {
    return fmt::format("line {}: {}", in_.error().line, in_.error().message);
  }
  std::vector<Statement> statements;

private:
  bool statement(Statement&);
  bool directive(Statement&);
  bool target(Statement&);
  bool alias(Statement&);
  bool function(Statement&);
  bool variables(Statement&);
  bool name(Statement&, std::string_view what);
  bool parentheses();

  Reader in_;
};

bool Splitter::run() {
  while (!in_.is(Token::Kind::end)) {
    char const* const from = begin_of(in_.token());
    Statement found;
    if (!statement(found) || in_.failed()) return false;
    if (found.kind == Kind::other) continue;
    found.text = {from, static_cast<std::size_t>(begin_of(in_.token()) - from)};
    if (!in_.spend(2)) return false;
    statements.push_back(std::move(found));
  }
  return !in_.failed();
}

bool Splitter::statement(Statement& found) {
  if (in_.is(Token::Kind::dotted)) return directive(found);
  if (in_.accept("@")) { // @@DWARF ...: debug data of old compilers
    if (!in_.is("@")) return in_.unexpected("a directive");
    in_.skip_line();
    return true;
  }
  return in_.accept(";") || in_.unexpected("a directive");
}

bool Splitter::directive(Statement& found) {
  std::string_view const word = in_.token().text;
  if (ptx::debug_directive(word)) {
    found.kind = word == "pragma" ? Kind::header : Kind::other;
    return ptx::skip_debug_directive(in_);
  }
  if (in_.accept_dotted("version") || in_.accept_dotted("address_size")) {
    found.kind = Kind::header;
    if (!in_.is(Token::Kind::number)) return in_.unexpected("a number");
    in_.advance();
    return true;
  }
  if (in_.accept_dotted("target")) return target(found);
  if (in_.accept_dotted("alias")) return alias(found);
  while (in_.is_dotted("extern") || in_.is_dotted("visible") || in_.is_dotted("weak") ||
         in_.is_dotted("common"))
    in_.advance();
  return in_.is_dotted("entry") || in_.is_dotted("func") ? function(found) : variables(found);
}

bool Splitter::name(Statement& found, std::string_view what) {
  std::string_view text;
  if (!in_.spend(1) || !in_.identifier(text, what)) return false;
  found.names.push_back(text);
  return true;
}

bool Splitter::target(Statement& found) {
  found.kind = Kind::target;
  do {
    if (!name(found, "a target such as sm_75")) return false;
  } while (in_.accept(","));
  return true;
}

bool Splitter::alias(Statement& found) {
  found.kind = Kind::alias;
  return name(found, "a function's name") && in_.expect(",") && name(found, "a function's name") &&
         in_.expect(";");
}

// `(` is the current token.
bool Splitter::parentheses() {
  std::size_t depth = 0;
  do {
    if (in_.is(Token::Kind::end)) return in_.unexpected("')'");
    depth += in_.is("(") ? 1u : 0u;
    depth -= in_.is(")") ? 1u : 0u;
    in_.advance();
  } while (depth > 0);
  return true;
}

bool Splitter::function(Statement& found) {
  found.kind = in_.is_dotted("entry") ? Kind::entry : Kind::function;
  in_.advance();
  if (in_.is("(") && !parentheses()) return false; // return parameters
  if (!name(found, "a function's name")) return false;
  while (!in_.is("{") && !in_.is(";")) {
    if (in_.is(Token::Kind::end)) return in_.unexpected("'{' or ';'");
    if (in_.is(Token::Kind::dotted) && ptx::debug_directive(in_.token().text)) {
      if (!ptx::skip_debug_directive(in_)) return false;
      continue;
    }
    if (in_.is(Token::Kind::dotted) && about_clusters(in_.token().text)) found.cluster = in_.token().text;
    in_.advance();
  }
  found.defined = in_.accept("{");
  return found.defined ? in_.skip_block() : in_.expect(";");
}

// .global .align 4 .u32 a, b[2] = {1, 2};
bool Splitter::variables(Statement& found) {
  found.kind = Kind::variable;
  std::size_t depth = 0;
  for (bool named = false; depth > 0 || !in_.is(";"); in_.advance()) {
    if (in_.is(Token::Kind::end)) return in_.unexpected("';'");
    bool const opens = in_.is("(") || in_.is("[") || in_.is("{");
    bool const closes = in_.is(")") || in_.is("]") || in_.is("}");
    if (closes && depth == 0) return in_.unexpected("';'");
    depth = depth + (opens ? 1 : 0) - (closes ? 1 : 0);
    if (depth > 0) continue;
    if (in_.is(",")) named = false;
    if (!in_.is(Token::Kind::identifier) || named) continue;
    named = true;
    if (!in_.spend(1)) return false;
    found.names.push_back(in_.token().text);
  }
  return in_.expect(";");
}

} // namespace

char const* begin_of(Token const& token) {
  bool const cut = token.kind == Token::Kind::dotted || token.kind == Token::Kind::string;
  return token.text.data() - (cut ? 1 : 0);
}

char const* end_of(Token const& token) {
  return token.text.data() + token.text.size() + (token.kind == Token::Kind::string ? 1 : 0);
}

tl::expected<std::vector<Statement>, std::string> split(std::string_view text) {
  Splitter splitter(text);
  if (!splitter.run()) return tl::unexpected(splitter.error());
  return std::move(splitter.statements);
}

} // namespace pegasus::slicing
