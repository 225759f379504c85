// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/exec_twins.h"

#include "domA/device/ptx/parser.h"
#include "domA/device/software/context.h"
#include "tests/fuzz/ptx_generator.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <span>

namespace pegasus::fuzz {
namespace {

using device::Status;
using software::Isa;

constexpr std::uint64_t memory_bytes = 64 << 20, buffer_bytes = 16 << 10;
constexpr std::size_t max_kernels = 4;
constexpr std::uint32_t image_of_ptx = 1; // image_kind
// Backward branches of a block before it pauses, and pauses of a launch before it is given up.
constexpr std::int64_t branches = 1 << 13;
constexpr std::uint64_t max_pauses = 4;

struct TooLong {};

// A launch asks before each block and when a block has paused.
class CountedSlices final : public device::TimeSlice {
public:
  CountedSlices(bool interrupting, std::uint64_t blocks) : interrupting_(interrupting), blocks_(blocks) {}
  bool over() const override {
    // Only an exception ends a launch here: within a block, a kernel is stopped only by killing the worker.
    if (++asked_ > (interrupting_ ? 2 : 1) * blocks_ + max_pauses) throw TooLong();
    bool const interrupts = interrupting_ && asked_ % 2 == 0;
    unheeded_ += interrupts ? 1 : 0;
    return interrupts;
  }
  void heeded() { --unheeded_; }
  // A block has paused: the other blocks then begin sooner or later than in an uninterrupted launch.
  [[nodiscard]] bool paused() const { return unheeded_ != 0; }

private:
  bool interrupting_;
  std::uint64_t blocks_;
  mutable std::uint64_t asked_ = 0, unheeded_ = 0;
};

// What a program sees of its launches.
struct Story {
  Ending ending = Ending::refused;
  bool paused = false;
  std::string told;
  std::vector<std::byte> memory;
};

class Twin {
public:
  Twin(Shape const& shape, Isa isa, bool interrupting)
      : shape_(shape), interrupting_(interrupting),
        context_({.memory_bytes = memory_bytes}, isa,
                 {.malloc_heap_bytes = 64 << 10, .branches_alone = branches}) {}

  Story run(std::string const& text, Names const& names) {
    try {
      load_and_launch(text, names);
    } catch (TooLong const&) {
      story_.ending = Ending::too_long;
    }
    return std::move(story_);
  }

private:
  template <class... T> void tell(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(story_.told), format, std::forward<T>(values)...);
  }

  void load_and_launch(std::string const& text, Names const& names) {
    make_buffers();
    std::unique_ptr<device::Module> module;
    std::string log;
    Status const loaded = context_.load_module(std::as_bytes(std::span(text.c_str(), text.size() + 1)),
                                               image_of_ptx, module, log);
    tell("load {}: {}\n", static_cast<int>(loaded), log);
    if (loaded != Status::success) return;
    for (std::string const& name : names.kernels)
      if (device::Function* const kernel = module->function(name)) launch(name, *kernel);
    tell_output();
    for (device::Range const& buffer : buffers_)
      read(buffer);
    for (std::string const& name : names.variables)
      read(module->global(name));
  }

  // Threads write to the first buffer; the others hold small numbers.
  void make_buffers() {
    std::uint64_t const threads = blocks() * shape_.block[0] * shape_.block[1] * shape_.block[2];
    for (std::uint64_t const bytes :
         {std::max(threads * cell_bytes, buffer_bytes), buffer_bytes, buffer_bytes}) {
      device::Range buffer{0, bytes};
      if (context_.allocate(bytes, buffer.base) != Status::success) std::abort();
      buffers_.push_back(buffer);
    }
    std::vector<std::byte> numbers(buffer_bytes);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = static_cast<std::byte>(i % 4 == 0 ? i / 4 % 61 : 0);
    for (std::size_t i = 1; i < buffers_.size(); ++i)
      if (context_.copy_to_device(nullptr, {buffers_[i].base, 0, buffer_bytes, 1}, numbers) !=
          Status::success)
        std::abort();
  }

  [[nodiscard]] std::uint64_t blocks() const {
    return std::uint64_t{shape_.grid[0]} * shape_.grid[1] * shape_.grid[2];
  }

  // 8-byte parameters are addresses, the others a number of elements: most kernels then have work.
  [[nodiscard]] std::vector<std::byte> parameters(device::FunctionInfo const& info) const {
    std::vector<std::byte> bytes(info.parameter_bytes);
    std::size_t addresses = 0;
    for (device::ParameterLayout const& p : info.parameters) {
      std::uint64_t const value = p.bytes == 8 ? buffers_[addresses++ % buffers_.size()].base : 64;
      std::memcpy(bytes.data() + p.offset, &value, std::min<std::size_t>(p.bytes, sizeof value));
    }
    return bytes;
  }

  void launch(std::string const& name, device::Function& kernel) {
    std::vector<std::byte> const given = parameters(kernel.info());
    device::Launch const launch{shape_.grid, shape_.block, shape_.dynamic_shared_bytes, false, given};
    CountedSlices slices(interrupting_, blocks());
    Status status = context_.launch(nullptr, kernel, launch, slices);
    while (status == Status::not_ready) {
      slices.heeded();
      status = context_.resume(slices);
    }
    Status const after = context_.synchronize();
    tell("{}: {}, {}\n", name, static_cast<int>(status), static_cast<int>(after));
    story_.ending =
        status == Status::success && after == Status::success ? Ending::completed : Ending::faulted;
    story_.paused |= slices.paused();
  }

  void tell_output() {
    while (context_.output_pending())
      story_.told += context_.take_output(4096).text;
  }

  // Reads nothing after a fault, as in CUDA.
  void read(device::Range const& range) {
    std::vector<std::byte> bytes(range.bytes);
    if (context_.copy_from_device(nullptr, bytes, {range.base, 0, range.bytes, 1}) == Status::success)
      story_.memory.insert(story_.memory.end(), bytes.begin(), bytes.end());
  }

  Shape shape_;
  bool interrupting_;
  software::SoftwareContext context_;
  std::vector<device::Range> buffers_;
  Story story_;
};

// The first difference between their memories.
std::string difference(Story const& a, Story const& b) {
  if (a.memory.size() != b.memory.size()) return "memory of other sizes";
  auto const at = std::mismatch(a.memory.begin(), a.memory.end(), b.memory.begin()).first - a.memory.begin();
  auto const from = static_cast<std::size_t>(at) / 8 * 8;
  if (from >= a.memory.size()) return "memory alike";
  std::uint64_t x = 0, y = 0;
  std::size_t const bytes = std::min<std::size_t>(8, a.memory.size() - from);
  std::memcpy(&x, a.memory.data() + from, bytes);
  std::memcpy(&y, b.memory.data() + from, bytes);
  return fmt::format("memory at byte {:#x}: {:#018x}, {:#018x}", from, x, y);
}

[[noreturn]] void report(std::string const& ptx, Shape const& shape, Story const& plain, Story const& other) {
  fmt::print(stderr,
             "{}\nThe twins differ: grid {}x{}, blocks of {}x{}, {} bytes of dynamic shared memory; {}\n"
             "baseline, whole:\n{}\n{}, interrupted:\n{}\n",
             ptx, shape.grid[0], shape.grid[1], shape.block[0], shape.block[1], shape.dynamic_shared_bytes,
             difference(plain, other), plain.told, shape.avx2 ? "AVX2" : "best", other.told);
  std::fflush(stderr);
  std::abort();
}

} // namespace

Names names_in(std::string const& text) {
  Names names;
  auto const module = ptx::parse(text);
  if (!module) return names;
  for (ptx::Function const& f : module->functions)
    if (f.entry && names.kernels.size() < max_kernels) names.kernels.emplace_back(f.name);
  for (ptx::Variable const& v : module->variables)
    if (v.space == ptx::Space::global && v.bytes <= buffer_bytes) names.variables.emplace_back(v.name);
  return names;
}

Ending run_twins(std::string const& ptx, Names const& names, Shape const& shape, bool compare) {
  bool const shown = std::getenv("PEGASUS_FUZZ_SHOW") != nullptr; // for a person who repeats an input
  if (shown) fmt::print(stderr, "{}\n", ptx);
  Story const plain = Twin(shape, Isa::baseline, false).run(ptx, names);
  if (shown) fmt::print(stderr, "{}", plain.told);
  if (plain.ending == Ending::refused || plain.ending == Ending::too_long) return plain.ending;
  Story const other = Twin(shape, shape.avx2 ? Isa::avx2 : Isa::best, true).run(ptx, names);
  if (!compare || other.paused || other.ending == Ending::too_long) return plain.ending;
  if (plain.told != other.told || plain.memory != other.memory) report(ptx, shape, plain, other);
  return plain.ending;
}

} // namespace pegasus::fuzz
