// SPDX-License-Identifier: Apache-2.0
#include "domA/device/image/ptx_text.h"

#include "domA/device/ptx/lexer.h"

#include <charconv>

namespace pegasus::image {

// .version 9.0 .target sm_75: .target is the second directive. The parser refuses a text
// that starts differently.
std::optional<PtxTarget> target_of_ptx(std::string_view text) {
  using Kind = ptx::Token::Kind;
  ptx::Lexer lexer(text);
  ptx::Token token = lexer.next();
  if (token.kind != Kind::dotted || token.text != "version") return std::nullopt;
  PtxTarget target;
  token = lexer.next();
  if (token.kind != Kind::number) return target;
  token = lexer.next();
  if (token.kind != Kind::dotted || token.text != "target") return target;
  token = lexer.next();
  if (token.kind != Kind::identifier || token.text.substr(0, 3) != "sm_") return target;
  char const* const end = token.text.data() + token.text.size();
  auto const [rest, error] = std::from_chars(token.text.data() + 3, end, target.architecture);
  target.exact = error == std::errc{} && end - rest == 1 && (*rest == 'a' || *rest == 'f');
  target.suffix = target.exact ? std::string_view(rest, 1) : std::string_view();
  return target;
}

} // namespace pegasus::image
