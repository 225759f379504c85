// SPDX-License-Identifier: Apache-2.0
// Every form of ptx_forms.h, and each with one operand in a register of every other width.
#include "tests/fuzz/exec_widths.h"

#include "tests/fuzz/ptx_forms.h"
#include "tests/fuzz/ptx_writer.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <vector>

using namespace pegasus::fuzz;

namespace {

unsigned words_in(std::string_view list) {
  return static_cast<unsigned>(std::count(list.begin(), list.end(), ' ')) + 1;
}

// The kinds of the operands' registers; i and | as in ptx_forms.h.
std::string kinds_of(Form const& form, std::string_view type) {
  char const own = kind_of(register_bits(type));
  std::string kinds(form.operands);
  for (char& kind : kinds)
    if (kind == 't' || kind == 'w') kind = kind == 't' ? own : own == 'h' ? 'r' : 'd';
  return kinds;
}

std::string instruction(std::string_view name, std::string_view type, std::string_view kinds) {
  std::string text = fmt::format("{}.{} ", name, type);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (i != 0) text += ", ";
    text += kinds[i] == 'i'   ? "0x1f"
            : kinds[i] == '|' ? "%p3|%p4"
            : (kinds[i] >= '1' && kinds[i] <= '8') || kinds[i] == 'A' || kinds[i] == 'B'
                ? register_vector(kinds[i], static_cast<unsigned>(i), 6)
                : fmt::format("%{}{}", kinds[i], i);
  }
  return text + ";";
}

struct TriedForms {
  unsigned threads = 5;
  unsigned run = 0, refused = 0;

  void operator()(std::string const& code) {
    INFO(code);
    Story const story = run_both(kernel_of(code), threads);
    if (story.ending == Ending::refused) {
      ++refused;
      REQUIRE_FALSE(story.told.empty());
      return;
    }
    ++run;
    INFO(story.told);
    REQUIRE(story.ending == Ending::completed); // none accesses memory
  }
};

} // namespace

TEST_CASE("an instruction with registers of any widths runs, or is refused with a reason") {
  TriedForms as_declared, one_differs;
  for (Form const& form : forms())
    for (unsigned n = 0; n < words_in(form.names); ++n)
      for (unsigned t = 0; t < words_in(form.types); ++t) {
        std::string_view const name = word_of(form.names, n), type = word_of(form.types, t);
        std::string kinds = kinds_of(form, type);
        as_declared(instruction(name, type, kinds));
        for (char& kind : kinds)
          for (char const other : register_kinds)
            if (char const own = kind; other != own && own != 'i' && own != '|') {
              kind = other;
              one_differs(instruction(name, type, kinds));
              kind = own;
            }
      }
  // The table also has forms that no device has, so that refusals are tried. Most of it must run.
  CHECK(as_declared.run > 4 * as_declared.refused);
  CHECK(one_differs.run > 0);
  CHECK(one_differs.refused > one_differs.run);
}

TEST_CASE("an instruction of matrices runs in a whole warp, or is refused with a reason") {
  TriedForms as_declared{.threads = 32}, one_differs{.threads = 32};
  for (Form const& form : matrix_forms())
    for (unsigned n = 0; n < words_in(form.names); ++n)
      for (unsigned t = 0; t < words_in(form.types); ++t) {
        std::string_view const name = word_of(form.names, n), type = word_of(form.types, t);
        std::string kinds(form.operands);
        as_declared(instruction(name, type, kinds));
        for (char& kind : kinds)
          for (char const other : {'1', '2', '4', '8', 'A', 'B', 'r', 'd', 'p'})
            if (char const own = kind; other != own) {
              kind = other;
              one_differs(instruction(name, type, kinds));
              kind = own;
            }
      }
  CHECK(as_declared.run > 4 * as_declared.refused);
  CHECK(one_differs.run == 0);
}
