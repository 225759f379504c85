// SPDX-License-Identifier: Apache-2.0
// Executes what a guest may send: modules from a generator, and any text as PTX. Input that begins with a
// printable character is PTX text, followed by a zero and the launch's shape. Other input: 8 bits of choices,
// the shape, and the bytes from which the generator makes a module.
#include "tests/fuzz/exec_twins.h"
#include "tests/fuzz/ptx_generator.h"
#include "tests/fuzz/ptx_havoc.h"

#include <algorithm>
#include <functional>
#include <random>
#include <string_view>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using namespace pegasus;

// Mutated inputs for the generator: what longer programs do, shorter ones do in less time.
constexpr std::size_t max_generated = 400;
constexpr std::uint8_t damages = 3; // bits of the choices: how much of the generated text is changed

bool is_text(std::uint8_t const* data, std::size_t size) {
  return size > 0 && (data[0] >= ' ' || data[0] == '\n' || data[0] == '\t');
}

std::size_t text_bytes(std::uint8_t const* data, std::size_t size) {
  return static_cast<std::size_t>(std::find(data, data + size, 0) - data);
}

fuzz::Shape shape_of(fuzz::Input& input) {
  auto const choice = input.take<std::uint8_t>();
  fuzz::Shape shape;
  shape.grid = {1 + choice % 3u, 1 + choice / 4 % 4 / 3u, 1};
  shape.block = {1 + (31 + input.take<std::uint8_t>()) % 70u, 1, 1};
  if (choice / 16 % 4 == 3) shape.block[1] = 2;
  shape.dynamic_shared_bytes = choice / 64 == 3 ? 0 : 64;
  shape.avx2 = choice / 64 == 1;
  shape.apart = choice % 64 == 63;
  return shape;
}

bool looks_at_a_clock(std::string_view text) {
  return text.find("clock") != std::string_view::npos || text.find("globaltimer") != std::string_view::npos;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  bool const text_given = is_text(data, size);
  std::size_t const text_end = text_given ? text_bytes(data, size) : 0;
  fuzz::Input input(data + text_end, size - text_end);
  auto const choices = input.take<std::uint8_t>(); // after a text, this is the zero
  fuzz::Shape const shape = shape_of(input);
  unsigned const changes = text_given ? 0 : choices & damages;
  // The generator takes any number of bytes, so the bytes that choose the damage come first.
  fuzz::Input damage = input;
  if (changes != 0) static_cast<void>(input.take_bytes(12));
  std::string text(reinterpret_cast<char const*>(data), text_end);
  if (!text_given) text = fuzz::generate_ptx(input);
  if (changes != 0) text = fuzz::havoc(std::move(text), damage, changes);
  bool const own = !text_given && changes == 0; // what it reads from clocks is not in its results
  static fuzz::Names const generated{{"k"}, {"counters"}};
  fuzz::Ending const ending =
      fuzz::run_twins(text, own ? &generated : nullptr, shape, own || !looks_at_a_clock(text));
  // The fuzzer must not mutate programs that run too long.
  return ending == fuzz::Ending::too_long ? -1 : 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  std::minstd_rand random(seed);
  if (!is_text(data, size) || random() % 16 == 0) {
    std::size_t const most = is_text(data, size) ? max_size : std::min(max_size, max_generated);
    std::size_t const now = LLVMFuzzerMutate(data, std::min(size, most), most);
    if (!is_text(data, size) && now > 0) data[0] &= 7; // it must not become text
    return now;
  }
  std::size_t const old_bytes = text_bytes(data, size);
  std::vector<std::uint8_t> const shape(data + old_bytes, data + size);
  std::vector<std::uint32_t> choices(16);
  std::generate(choices.begin(), choices.end(), std::ref(random));
  fuzz::Input input(reinterpret_cast<std::uint8_t const*>(choices.data()),
                    choices.size() * sizeof choices[0]);
  std::string text =
      fuzz::havoc(std::string(reinterpret_cast<char const*>(data), old_bytes), input, 1 + random() % 3);
  text.append(shape.begin(), shape.end());
  std::size_t const now = std::min(text.size(), max_size);
  std::copy_n(text.begin(), now, data);
  return now;
}
