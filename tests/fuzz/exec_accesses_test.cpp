// SPDX-License-Identifier: Apache-2.0
// Every load, store and atomic of every space, with addresses of every space, valid and not, and with registers of
// every width.
#include "tests/fuzz/exec_widths.h"

#include "tests/fuzz/ptx_forms.h"
#include "tests/fuzz/ptx_writer.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <initializer_list>

using namespace pegasus::fuzz;
using pegasus::device::Status;

namespace {

// Where an address in %d9 leads. `offset` counts from the start of the 64 bytes of a variable.
struct Pointer {
  char const* code;    // sets %d9
  char const* reached; // spaces in which there are 64 bytes at this address
  char const* perhaps; // spaces in which a device may or may not find some
};

// A variable of the .local or .shared space is at address 0 there, and so is null. Constants are in global memory here.
constexpr Pointer pointers[] = {
    {"mov.u64 %d9, lo;", "local shared", "param"},
    {"mov.u64 %d9, sh;", "local shared", "param"},
    {"mov.u64 %d9, lo; cvta.local.u64 %d9, %d9;", "generic", ""},
    {"mov.u64 %d9, sh; cvta.shared.u64 %d9, %d9;", "generic", ""},
    {"mov.u64 %d9, gl;", "global generic", "const"},
    {"mov.u64 %d9, gl; cvta.global.u64 %d9, %d9;", "global generic", "const"},
    {"mov.u64 %d9, co;", "const", "global generic"},
    {"mov.u64 %d9, co; cvta.const.u64 %d9, %d9;", "generic", "global const"},
    {"ld.param.u64 %d9, [cells];", "global generic", "const"},
    {"mov.u64 %d9, 0;", "local shared", "param"},
    {"mov.u64 %d9, 0x123456789000;", "", ""},
    {"mov.u64 %d9, 0xffffffff00000000;", "", ""},
};
constexpr std::string_view spaces = "local shared global const generic param";

bool has(std::string_view list, std::string_view word) {
  for (unsigned i = 0; i <= static_cast<unsigned>(std::count(list.begin(), list.end(), ' ')); ++i)
    if (word_of(list, i) == word) return true;
  return false;
}

std::string dotted(std::string_view space) { return space == "generic" ? "" : fmt::format(".{}", space); }

// What an access of `bytes` at the pointer and `offset` may end with.
bool expected(Pointer const& pointer, std::string_view space, unsigned offset, unsigned bytes,
              Status status) {
  bool const misaligned = offset % bytes != 0;
  bool const buffer = std::string_view(pointer.code).starts_with("ld.param"); // longer than the variables
  bool const within = offset + bytes <= (buffer ? 4096 : 64);
  if (has(pointer.reached, space) && within)
    return status == (misaligned ? Status::misaligned_address : Status::success);
  if (status == Status::misaligned_address) return misaligned;
  if (has(pointer.perhaps, space) && within && status == Status::success) return !misaligned;
  return status == Status::illegal_address;
}

struct TriedAccesses {
  unsigned completed = 0, faulted = 0, refused = 0;

  template <class Expected> void operator()(std::string const& code, Expected const& is_expected) {
    INFO(code);
    Story const story = run_both(kernel_of(code));
    INFO(story.told);
    if (story.ending == Ending::refused) {
      ++refused;
      REQUIRE_FALSE(story.told.empty());
      return;
    }
    REQUIRE(story.ending != Ending::too_long);
    story.ending == Ending::completed ? ++completed : ++faulted;
    INFO("error " << static_cast<int>(story.status));
    REQUIRE(is_expected(story.status));
  }
};

std::string list_of(char kind, unsigned count) {
  std::string list;
  for (unsigned i = 0; i < count; ++i)
    list += fmt::format("{}%{}{}", i == 0 ? "" : ", ", kind, i);
  return count == 1 ? list : "{" + list + "}";
}

std::string access(bool load, std::string_view space, std::string_view type, unsigned count, char kind,
                   std::string_view address) {
  std::string const vector = count == 1 ? "" : fmt::format(".v{}", count);
  std::string const list = list_of(kind, count);
  return load ? fmt::format("ld{}{}.{} {}, [{}];", dotted(space), vector, type, list, address)
              : fmt::format("st{}{}.{} [{}], {};", dotted(space), vector, type, address, list);
}

unsigned bytes_of_type(std::string_view type) {
  return type == "f16x2"
             ? 4
             : static_cast<unsigned>(std::stoul(std::string(type.substr(type.find_first_of("12345678"))))) /
                   8;
}

template <class Visit> void each(std::string_view list, Visit&& visit) {
  for (unsigned i = 0; i <= static_cast<unsigned>(std::count(list.begin(), list.end(), ' ')); ++i)
    visit(word_of(list, i));
}

} // namespace

TEST_CASE("a load or store reaches its own space only, and ends with CUDA's error elsewhere") {
  TriedAccesses tried;
  each(spaces, [&](std::string_view space) {
    each("u8 s16 u32 f32 b64", [&](std::string_view type) {
      for (unsigned const count : {1u, 2u, 4u})
        for (Pointer const& pointer : pointers)
          for (unsigned const offset : {0u, 1u, 48u, 63u, 64u, 0x7ffffff0u})
            for (bool const load : {true, false}) {
              unsigned const bytes = bytes_of_type(type) * count;
              std::string const place = fmt::format("%d9+{}", offset);
              tried(std::string(pointer.code) +
                        access(load, space, type, count, kind_of(register_bits(type)), place),
                    [&](Status status) { return expected(pointer, space, offset, bytes, status); });
            }
    });
  });
  CHECK(tried.completed > 0);
  CHECK(tried.faulted > tried.completed);
  CHECK(tried.refused > 0); // stores to constants and parameters
}

TEST_CASE("a load or store takes registers of any width, or is refused with a reason") {
  TriedAccesses tried;
  each(spaces, [&](std::string_view space) {
    std::string_view const variable = space == "local"    ? "lo"
                                      : space == "shared" ? "sh"
                                      : space == "const"  ? "co"
                                      : space == "param"  ? "args"
                                                          : "gl";
    each("b8 u8 s8 b16 u16 s16 f16 b32 u32 s32 f16x2 f32 b64 u64 s64 f64 b128", [&](std::string_view type) {
      for (unsigned const count : {1u, 2u, 3u, 4u})
        for (char const kind : register_kinds)
          for (bool const load : {true, false})
            tried(access(load, space, type, count, kind, variable),
                  [&](Status status) { return status == Status::success; });
    });
  });
  CHECK(tried.completed > 0);
  CHECK(tried.faulted == 0);
  CHECK(tried.refused > 0);
}

TEST_CASE("an atomic reaches its own space only, and ends with CUDA's error elsewhere") {
  TriedAccesses tried;
  each("local shared global const generic param", [&](std::string_view space) {
    each("add min max inc dec and or xor exch cas add.noftz", [&](std::string_view operation) {
      each("u32 s32 b32 u64 b64 f32 f64 f16 f16x2", [&](std::string_view type) {
        for (Pointer const& pointer : pointers)
          for (unsigned const offset : {0u, 2u, 64u})
            for (bool const atom : {true, false}) {
              char const kind = kind_of(register_bits(type));
              std::string const to = atom ? fmt::format("%{}0, ", kind) : "";
              std::string const more = operation == "cas" ? fmt::format(", %{}2", kind) : "";
              std::string const code =
                  fmt::format("{}{}{}.{}.{} {}[%d9+{}], %{}1{};", pointer.code, atom ? "atom" : "red",
                              dotted(space), operation, type, to, offset, kind, more);
              tried(code, [&](Status status) {
                // An atomic of local memory, through a generic address, has an error of its own.
                if (status == Status::invalid_address_space)
                  return std::string_view(pointer.code).find("cvta.local") != std::string_view::npos;
                return expected(pointer, space, offset, bytes_of_type(type), status);
              });
            }
      });
    });
  });
  CHECK(tried.completed > 0);
  CHECK(tried.faulted > tried.completed);
  CHECK(tried.refused > 0);
}
