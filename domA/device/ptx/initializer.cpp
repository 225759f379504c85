// SPDX-License-Identifier: Apache-2.0
// Initial values: numbers, addresses, and braces nested as in C. PTX ISA 9.0, section 5.4.4.
#include "domA/device/ptx/declaration.h"

#include <algorithm>
#include <bit>
#include <fmt/core.h>
#include <limits>

namespace pegasus::ptx {
namespace {

constexpr std::uint64_t max_array = std::uint64_t{1} << 40; // elements

class Initializer {
public:
  Initializer(Reader& in, Variable& variable, std::vector<std::uint64_t> const& dimensions)
      : in_(in), variable_(variable), dimensions_(dimensions), element_(bytes_of(variable.type)) {}
  bool parse();

private:
  bool braces();
  bool value();
  bool number(Constant);
  bool address(std::uint64_t mask);
  bool symbol_and_offset(Relocation&);
  bool store(std::uint64_t bits);
  void add(Relocation const&);
  bool open_brace();
  bool close_brace();
  bool grow(std::uint64_t bytes);
  [[nodiscard]] bool unknown_size() const { return !dimensions_.empty() && dimensions_.front() == 0; }
  // The number of elements inside the brace at `depth` (0: the outermost).
  [[nodiscard]] std::uint64_t enclosed(std::size_t depth) const;
  bool finish();

  Reader& in_;
  Variable& variable_;
  std::vector<std::uint64_t> const& dimensions_;
  std::uint64_t element_;
  std::uint64_t position_ = 0;        // in elements
  std::vector<std::uint64_t> starts_; // position at each open brace
};

std::uint64_t Initializer::enclosed(std::size_t depth) const {
  if (depth == 0 && unknown_size()) return std::numeric_limits<std::uint64_t>::max();
  std::uint64_t count = 1;
  for (std::size_t i = depth; i < dimensions_.size(); ++i)
    count *= dimensions_[i];
  return count;
}

bool Initializer::parse() {
  if (element_ == 0 || variable_.type == Type::b128)
    return in_.fail("a variable of this type cannot have an initial value");
  if (!dimensions_.empty() && std::find(dimensions_.begin() + 1, dimensions_.end(), 0u) != dimensions_.end())
    return in_.fail("an array with rows of no length cannot have an initial value");
  if (!unknown_size()) {
    if (!in_.spend(variable_.bytes / 8)) return false;
    variable_.initial.assign(variable_.bytes, 0);
  }
  return (in_.is("{") ? braces() : value()) && finish();
}

bool Initializer::open_brace() {
  std::size_t const depth = starts_.size();
  if (depth >= std::max<std::size_t>(dimensions_.size(), 1))
    return in_.fail("an initial value has more braces than the array has dimensions");
  if (depth > 0) {
    std::uint64_t const row = enclosed(depth);
    if (row == 0 || position_ % row != 0 || position_ - starts_.back() >= enclosed(depth - 1))
      return in_.fail("an initial value has more elements than its array");
  }
  starts_.push_back(position_);
  in_.advance();
  return true;
}

// Elements that a brace omits are zero.
bool Initializer::close_brace() {
  if (starts_.size() > 1) position_ = starts_.back() + enclosed(starts_.size() - 1);
  if (position_ > max_array) return in_.fail(fmt::format("{} is too large an array", quoted(variable_.name)));
  starts_.pop_back();
  in_.advance();
  return true;
}

// An array of unknown size gets the size of its initializer.
bool Initializer::grow(std::uint64_t bytes) {
  std::uint64_t const now = variable_.initial.size();
  if (bytes <= now) return true;
  if (!in_.spend((bytes - now) / 8 + 1)) return false;
  variable_.initial.resize(bytes);
  return true;
}

bool Initializer::braces() {
  if (!open_brace()) return false;
  bool first = true; // directly after a `{`
  while (!starts_.empty()) {
    if (in_.is("}")) {
      if (!close_brace()) return false;
      first = false;
      continue;
    }
    if (!first && !in_.expect(",")) return false;
    first = in_.is("{");
    if (first ? !open_brace() : !value()) return false;
  }
  return !in_.failed();
}

bool Initializer::value() {
  if (!starts_.empty() && position_ - starts_.back() >= enclosed(starts_.size() - 1))
    return in_.fail("an initial value has more elements than its array");
  if (in_.is(Token::Kind::identifier) && in_.token().text != "WARP_SZ") return address(0);
  if (!in_.is(Token::Kind::number)) {
    Constant c;
    if (!in_.starts_constant()) return in_.unexpected("an initial value");
    return in_.constant(c) && number(c);
  }
  auto const first = literal(in_.token().text);
  if (!first) return in_.unexpected("a number");
  in_.advance();
  if (in_.is("(")) // 0xFF00(symbol): some bytes of an address
    return first->real() || first->bits == 0 ? in_.unexpected("','") : address(first->bits);
  Constant c;
  return in_.constant_after(*first, c) && number(c);
}

bool Initializer::number(Constant c) {
  bool const to_f32 = variable_.type == Type::f32;
  bool const to_f64 = variable_.type == Type::f64;
  if (to_f32) return store(c.single ? c.bits : std::bit_cast<std::uint32_t>(static_cast<float>(c.value())));
  if (to_f64) return store(std::bit_cast<std::uint64_t>(c.value()));
  if (c.real() && element_ != (c.single ? 4u : 8u))
    return in_.fail("a floating-point initial value for an integer of another size");
  return store(c.bits);
}

bool Initializer::store(std::uint64_t bits) {
  std::uint64_t const offset = position_ * element_;
  if (unknown_size()) {
    if (!grow(offset + element_)) return false;
  } else if (offset + element_ > variable_.initial.size()) {
    return in_.fail("an initial value has more elements than its array");
  }
  for (std::uint64_t i = 0; i < element_; ++i)
    variable_.initial[offset + i] = static_cast<std::uint8_t>(bits >> (8 * i));
  ++position_;
  return true;
}

// symbol, symbol+4, generic(symbol)+4; the same inside of mask(...).
bool Initializer::symbol_and_offset(Relocation& relocation) {
  if (!in_.identifier(relocation.symbol, "a symbol")) return false;
  if (relocation.symbol == "generic" && in_.accept("(")) {
    relocation.generic = true;
    if (!in_.identifier(relocation.symbol, "a symbol") || !in_.expect(")")) return false;
  }
  if (!in_.is("+") && !in_.is("-")) return true;
  Constant offset;
  if (!in_.constant_after(Constant::of(std::int64_t{0}), offset)) return false;
  if (offset.real()) return in_.fail("an address with an offset that is not whole");
  relocation.addend = static_cast<std::int64_t>(offset.bits);
  return true;
}

bool Initializer::address(std::uint64_t mask) {
  Relocation relocation{position_ * element_, static_cast<std::uint32_t>(element_), 0, {}, 0, false};
  if (mask != 0) {
    relocation.shift = static_cast<std::uint32_t>(std::countr_zero(mask));
    std::uint64_t const ones = element_ >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * element_)) - 1;
    if (mask >> relocation.shift != ones || relocation.shift % 8 != 0)
      return in_.fail("a mask that does not select as many bytes as an element has");
    in_.advance(); // the `(` that value() read
  }
  if (!symbol_and_offset(relocation) || (mask != 0 && !in_.expect(")"))) return false;
  if (!in_.spend(1) || !store(0)) return false;
  add(relocation);
  return true;
}

void Initializer::add(Relocation const& next) {
  auto& all = variable_.relocations;
  if (!all.empty()) {
    Relocation& last = all.back();
    if (last.symbol == next.symbol && last.addend == next.addend && last.generic == next.generic &&
        last.offset + last.bytes == next.offset && last.shift + 8 * last.bytes == next.shift &&
        last.bytes + next.bytes <= 8) {
      last.bytes += next.bytes;
      return;
    }
  }
  all.push_back(next);
}

bool Initializer::finish() {
  if (unknown_size()) {
    std::uint64_t const row = enclosed(1);
    std::uint64_t const rows = (position_ + row - 1) / row;
    if (!grow(rows * row * element_)) return false;
    variable_.bytes = variable_.initial.size();
  }
  bool const zero =
      std::all_of(variable_.initial.begin(), variable_.initial.end(), [](auto b) { return b == 0; });
  if (zero && variable_.relocations.empty()) variable_.initial = {};
  return true;
}

} // namespace

bool parse_initializer(Reader& in, Variable& variable, std::vector<std::uint64_t> const& dimensions) {
  return Initializer(in, variable, dimensions).parse();
}

} // namespace pegasus::ptx
