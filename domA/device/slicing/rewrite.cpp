// SPDX-License-Identifier: Apache-2.0
#include "domA/device/slicing/rewrite.h"

#include "domA/device/ptx/debug_directives.h"
#include "domA/device/ptx/reader.h"
#include "domA/device/slicing/prologue.h"

#include <fmt/core.h>

namespace pegasus::slicing {
namespace {

using ptx::quoted;
using ptx::Reader;
using ptx::Token;

constexpr std::string_view axes = "xyz";

bool is_index(std::string_view name) { return name == "%ctaid" || name == "%nctaid"; }

class Rewriter {
public:
  Rewriter(Statement const& function, bool kernel, Addresses const& addresses)
      : in_(function.text), copied_(function.text.data()), end_(copied_ + function.text.size()),
        kernel_(kernel), addresses_(addresses) {}

  bool run() {
    if (!head() || !in_.is("{")) return in_.accept(";") && finish(0);
    in_.advance();
    copy_to(here());
    std::size_t const begin = out_.size();
    return body() && finish(begin);
  }
  [[nodiscard]] std::string take() { return std::move(out_); }
  [[nodiscard]] std::string why() const { return in_.error().message; }

private:
  bool finish(std::size_t begin_of_body);
  bool head();
  bool parameter();
  bool body();
  bool statement();
  bool declaration();
  bool instruction(std::string_view mnemonic);
  bool index(Token const&);
  bool variable(Token const&, bool bracket, bool mov, bool wide);

  [[nodiscard]] char const* here() const { return in_.failed() ? copied_ : begin_of(in_.token()); }
  void copy_to(char const* to) {
    out_.append(copied_, to);
    copied_ = to;
  }
  void replace(Token const& first, char const* to, std::string_view with) {
    copy_to(begin_of(first));
    out_ += with;
    copied_ = to;
  }
  bool skip_debug() {
    copy_to(here());
    if (!ptx::skip_debug_directive(in_)) return false;
    copied_ = here();
    return !in_.failed();
  }
  [[nodiscard]] bool at_debug() const {
    return in_.is(Token::Kind::dotted) && ptx::debug_directive(in_.token().text) && !in_.is_dotted("pragma");
  }

  Reader in_;
  // Text before copied_ is in out_; end_ is the end of the function's text.
  char const *copied_, *end_;
  bool kernel_;
  Addresses const& addresses_;
  std::string out_;
  Prologue prologue_;
  std::size_t blocks_ = 0; // currently open
};

bool Rewriter::finish(std::size_t begin_of_body) {
  if (in_.failed()) return false;
  if (!in_.is(Token::Kind::end)) return in_.fail("its text does not end where it seems to");
  copy_to(end_);
  if (begin_of_body != 0) out_.insert(begin_of_body, prologue_.text());
  return true;
}

// Skips to the `{` of the body or the `;` of a declaration.
bool Rewriter::head() {
  while (kernel_ && !in_.is_dotted("entry") && !in_.is(Token::Kind::end))
    in_.advance();
  if (kernel_ && !parameter()) return false;
  while (!in_.is("{") && !in_.is(";")) {
    if (in_.is(Token::Kind::end)) return in_.unexpected("'{' or ';'");
    if (at_debug()) {
      if (!skip_debug()) return false;
    } else {
      in_.advance();
    }
  }
  return true;
}

// .entry is the current token.
bool Rewriter::parameter() {
  in_.advance();
  Token const name = in_.token();
  std::string_view ignored;
  if (!in_.identifier(ignored, "a kernel's name")) return false;
  if (!in_.accept("(")) {
    copy_to(end_of(name));
    out_ += fmt::format("({})", Prologue::parameter());
    return true;
  }
  bool const alone = in_.is(")");
  while (!in_.is(")")) {
    if (in_.is(Token::Kind::end)) return in_.unexpected("')'");
    if (in_.accept("(")) { // .attribute(...)
      while (!in_.is(")") && !in_.is(Token::Kind::end))
        in_.advance();
    }
    in_.advance();
  }
  copy_to(here());
  out_ += (alone ? "" : ", ") + Prologue::parameter();
  in_.advance();
  return true;
}

bool Rewriter::body() {
  for (blocks_ = 1; blocks_ > 0;)
    if (!statement()) return false;
  return true;
}

bool Rewriter::statement() {
  if (at_debug()) return skip_debug();
  if (in_.is(Token::Kind::dotted)) return declaration();
  if (in_.accept("{")) {
    ++blocks_;
    return true;
  }
  if (in_.accept("}")) {
    --blocks_;
    return true;
  }
  if (in_.is("@")) {
    Token const at = in_.token();
    in_.advance();
    if (in_.is("@")) { // @@DWARF ...: debug data of old compilers
      in_.skip_line();
      if (in_.failed()) return false;
      replace(at, here(), "");
      return true;
    }
    static_cast<void>(in_.accept("!"));
    if (!in_.is(Token::Kind::identifier)) return in_.unexpected("a predicate");
    in_.advance(); // an instruction follows
    return true;
  }
  if (in_.accept(";")) return true;
  std::string_view word;
  if (!in_.identifier(word, "an instruction")) return false;
  if (!in_.accept(":")) return instruction(word);
  return !addresses_.contains(word) || in_.fail(fmt::format("{} is a label and a variable", quoted(word)));
}

bool Rewriter::declaration() {
  for (; !in_.is(";"); in_.advance()) {
    if (in_.is(Token::Kind::end)) return in_.unexpected("';'");
    if (!in_.is(Token::Kind::identifier)) continue;
    if (std::string_view const name = in_.token().text; addresses_.contains(name) || is_index(name))
      return in_.fail(fmt::format("it gives the name {} a meaning of its own", quoted(name)));
  }
  in_.advance();
  return true;
}

bool Rewriter::instruction(std::string_view mnemonic) {
  bool wide = false;
  for (; in_.is(Token::Kind::dotted); in_.advance())
    wide |= in_.is_dotted("u64") || in_.is_dotted("s64") || in_.is_dotted("b64");
  std::size_t brackets = 0;
  while (!in_.is(";")) {
    if (in_.is(Token::Kind::end)) return in_.unexpected("';'");
    if (in_.is("[")) ++brackets;
    if (in_.is("]") && brackets > 0) --brackets;
    Token const token = in_.token();
    in_.advance();
    if (token.kind != Token::Kind::identifier) continue;
    if (is_index(token.text)) {
      if (!index(token)) return false;
    } else if (addresses_.contains(token.text)) {
      if (!variable(token, brackets > 0, mnemonic == "mov", wide)) return false;
    }
  }
  in_.advance();
  return true;
}

// %ctaid was read; its .x is the current token.
bool Rewriter::index(Token const& token) {
  std::size_t const axis = in_.is(Token::Kind::dotted) && in_.token().text.size() == 1
                               ? axes.find(in_.token().text)
                               : std::string_view::npos;
  if (!kernel_ || axis == std::string_view::npos) return in_.unexpected("x, y or z of a block's index");
  replace(token, end_of(in_.token()), prologue_.index(token.text == "%nctaid", axis));
  in_.advance();
  return true;
}

bool Rewriter::variable(Token const& token, bool bracket, bool mov, bool wide) {
  bool const offset = in_.is("+") || in_.is("-");
  if (in_.is("[")) return in_.fail(fmt::format("it uses an element of {} by its number", quoted(token.text)));
  if (bracket || !mov) {
    if (offset && !bracket)
      return in_.fail(fmt::format("it uses {} with an offset outside of mov", quoted(token.text)));
    replace(token, end_of(token), prologue_.address(token.text, addresses_.at(token.text)));
    return true;
  }
  if (!wide)
    return in_.fail(fmt::format("it takes less than 64 bits of the address of {}", quoted(token.text)));
  replace(token, end_of(token), fmt::format("{:#x}", addresses_.at(token.text)));
  return true;
}

} // namespace

tl::expected<std::string, std::string> rewrite(Statement const& function, bool kernel,
                                               Addresses const& addresses) {
  Rewriter rewriter(function, kernel, addresses);
  if (!rewriter.run()) return tl::unexpected(rewriter.why());
  return rewriter.take();
}

} // namespace pegasus::slicing
