// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/exec_program.h"

#include "domA/device/software/exec/kernel.h"
#include "domA/device/software/exec/memory/windows.h"
#include "domA/device/software/launch_check.h"
#include "tests/fuzz/exec_textures.h"
#include "tests/fuzz/lane_loops.h"
#include "tests/fuzz/ptx_generator.h"
#include "tests/fuzz/require.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <iterator>

namespace pegasus::fuzz {
namespace {

using device::Status;
using software::Isa;

constexpr std::uint64_t memory_bytes = 8 << 20, buffer_bytes = 4 << 10;
// branches_alone: backward branches of a block before it pauses.
constexpr software::Limits limits{
    .malloc_heap_bytes = 64 << 10, .printf_bytes = 64 << 10, .branches_alone = 1 << 13};
// Pauses of a launch before it is given up.
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

// Mapped once: to map and unmap it would take longer than many programs.
software::Memory& device_memory() {
  static software::Memory memory(memory_bytes);
  return memory;
}

bool refused_before_it_ran(Status status) {
  return status == Status::invalid_value || status == Status::out_of_memory ||
         status == Status::launch_out_of_resources;
}

} // namespace

ExecProgram::ExecProgram(ptx::Module module, Names const& names, Shape const& shape, Isa isa)
    : names_(names), shape_(shape), memory_(device_memory()) {
  require(memory_.used() == 0);
  make_buffers();
  build(std::move(module), isa);
  keep_memory();
}

ExecProgram::~ExecProgram() {
  heap_.reset();
  program_.reset();
  for (device::Range const& buffer : buffers_)
    require(memory_.free(buffer.base));
  require(memory_.free(texels_.base));
  require(memory_.used() == 0);
}

void ExecProgram::build(ptx::Module&& module, Isa isa) {
  std::vector<ptx::Module> units;
  units.push_back(std::move(module));
  auto program = software::Program::build(std::move(units), memory_, isa);
  if (!program) {
    refusals_ = program.error().message;
    return;
  }
  program_ = std::move(*program);
  for (std::string const& name : names_.kernels) {
    auto const kernel = program_->kernel(name);
    if (kernel)
      kernels_.push_back(*kernel);
    else
      refusals_ += kernel.error().message + '\n';
  }
}

// Threads write to the first buffer; the others hold small numbers.
void ExecProgram::make_buffers() {
  std::uint64_t const threads = blocks() * shape_.block[0] * shape_.block[1] * shape_.block[2];
  for (std::uint64_t const bytes :
       {std::max(threads * cell_bytes, buffer_bytes), buffer_bytes, buffer_bytes}) {
    buffers_.push_back({memory_.allocate(bytes), bytes});
    require(buffers_.back().base != 0);
  }
  for (std::size_t i = 1; i < buffers_.size(); ++i) {
    std::byte* const at = memory_.resolve(buffers_[i].base, buffer_bytes);
    for (std::size_t word = 0; word < buffer_bytes / 4; ++word)
      at[4 * word] = static_cast<std::byte>(word % 61);
  }
  texels_ = {memory_.allocate(texel_bytes), texel_bytes};
  require(texels_.base != 0);
  std::byte* const texels = memory_.resolve(texels_.base, texel_bytes);
  for (std::size_t i = 0; i < texel_bytes; ++i)
    texels[i] = static_cast<std::byte>(i * i % 251);
  add_textures(textures_, texels_.base);
}

// The memory was empty before, so there is one granule between two allocations.
void ExecProgram::keep_memory() {
  constexpr std::uint64_t granule = 256;
  for (device::Address at = software::global_window;;) {
    device::Range const range = memory_.ranges().containing(at);
    if (range.bytes == 0) return;
    std::byte const* const bytes = memory_.resolve(range.base, range.bytes);
    kept_.emplace_back(range, std::vector<std::byte>(bytes, bytes + range.bytes));
    at = range.base + (range.bytes + granule - 1) / granule * granule + granule;
  }
}

void ExecProgram::restore(Isa isa) {
  heap_.reset();
  for (auto const& [range, bytes] : kept_)
    std::memcpy(memory_.resolve(range.base, range.bytes), bytes.data(), range.bytes);
  for (software::Kernel const* const kernel : kernels_)
    use_lane_loops(const_cast<software::Kernel&>(*kernel), isa); // the program made it, and not as a constant
}

Story ExecProgram::run(bool interrupting) {
  Story story;
  story.told = refusals_;
  heap_ = std::make_unique<software::DeviceHeap>(memory_, limits.malloc_heap_bytes);
  for (software::Kernel const* const kernel : kernels_) {
    Status status = Status::unknown;
    try {
      status = launch(*kernel, interrupting, story);
    } catch (TooLong const&) {
      story.ending = Ending::too_long;
      return story;
    }
    story.status = status;
    story.ending = status == Status::success ? Ending::completed : Ending::faulted;
    if (status != Status::success && !refused_before_it_ran(status))
      return story; // reads nothing, as in CUDA
  }
  for (device::Range const& buffer : buffers_)
    read(buffer, story);
  read(texels_, story);
  if (program_ != nullptr)
    for (std::string const& name : names_.variables)
      read(program_->global(name), story);
  return story;
}

// 8-byte parameters are addresses, the others a number of elements: most kernels then have work.
std::vector<std::byte> ExecProgram::parameters(device::FunctionInfo const& info) const {
  std::vector<std::byte> bytes(info.parameter_bytes);
  std::size_t addresses = 0;
  for (device::ParameterLayout const& p : info.parameters) {
    std::uint64_t const value = p.bytes == 8 ? buffers_[addresses++ % buffers_.size()].base : 64;
    std::memcpy(bytes.data() + p.offset, &value, std::min<std::size_t>(p.bytes, sizeof value));
  }
  return bytes;
}

Status ExecProgram::launch(software::Kernel const& kernel, bool interrupting, Story& story) {
  std::vector<std::byte> const given = parameters(kernel.info);
  device::Launch const launch{shape_.grid, shape_.block, shape_.dynamic_shared_bytes, false, given};
  Status status = software::check_launch(kernel.info, launch, limits.device);
  if (status == Status::success) {
    CountedSlices slices(interrupting, blocks());
    software::Run run(kernel, launch, memory_, *heap_, textures_, limits);
    while (!run.go_on(slices))
      slices.heeded();
    status = run.outcome().status;
    story.told += run.text() + run.outcome().diagnostic;
    story.paused |= slices.paused();
  }
  fmt::format_to(std::back_inserter(story.told), "\n{}: {}\n", kernel.name, static_cast<int>(status));
  return status;
}

void ExecProgram::read(device::Range const& range, Story& story) const {
  if (range.bytes == 0) return;
  std::byte const* const bytes = memory_.resolve(range.base, range.bytes);
  story.memory.insert(story.memory.end(), bytes, bytes + range.bytes);
}

std::uint64_t ExecProgram::blocks() const {
  return std::uint64_t{shape_.grid[0]} * shape_.grid[1] * shape_.grid[2];
}

} // namespace pegasus::fuzz
