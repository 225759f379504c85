// SPDX-License-Identifier: Apache-2.0
#include "domA/device/slicing/testing/pieces.h"

#include "domA/device/ptx/parser.h"
#include "domA/device/slicing/grid_pieces.h"
#include "domA/device/slicing/slice.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

namespace pegasus::slicing::testing {
namespace {

using Bytes = std::vector<std::byte>;
using device::Status;
using software::Program;

struct Result {
  Status status = Status::success;
  std::string text;
  std::vector<Bytes> contents; // everything that a launch can have changed
  bool operator==(Result const&) const = default;
};

Result result_of(World& world, Text const& text, Status status) {
  Result result{status, world.fixture.text, {}};
  for (auto const& [at, bytes] : world.buffers)
    result.contents.push_back(world.fixture.get<std::byte>(at, bytes));
  for (std::string const& name : text.variables)
    if (device::Range const range = world.fixture.program->global(name); range.bytes != 0)
      result.contents.push_back(world.fixture.get<std::byte>(range.base, range.bytes));
  return result;
}

// The arguments one behind another, the piece last.
Bytes packed(World const& world, device::FunctionInfo const& info, Piece const* piece) {
  Bytes bytes(info.parameter_bytes);
  REQUIRE(info.parameters.size() == world.arguments.size() + (piece != nullptr ? 1 : 0));
  for (std::size_t i = 0; i < world.arguments.size(); ++i) {
    REQUIRE(world.arguments[i].size() == info.parameters[i].bytes);
    std::memcpy(bytes.data() + info.parameters[i].offset, world.arguments[i].data(),
                world.arguments[i].size());
  }
  if (piece != nullptr) std::memcpy(bytes.data() + info.parameters.back().offset, piece, sizeof *piece);
  return bytes;
}

Status run(World& world, software::Kernel const& kernel, Job const& job, device::Dim3 grid,
           Bytes const& parameters) {
  device::Launch launch;
  launch.grid = grid;
  launch.block = job.block;
  launch.dynamic_shared_bytes = job.dynamic_shared;
  launch.parameters = parameters;
  software::Outcome const outcome = world.fixture.run_whole(kernel, launch);
  if (outcome.status != Status::assert_failed) CHECK(outcome.diagnostic == "");
  return outcome.status;
}

Result in_one(Text const& text, Job const& job) {
  World world(text);
  job.arguments(world);
  auto const kernel = world.fixture.program->kernel(text.kernel(job.kernel));
  INFO((kernel ? "" : kernel.error().message));
  REQUIRE(kernel.has_value());
  Bytes const parameters = packed(world, world.fixture.program->info(**kernel), nullptr);
  return result_of(world, text, run(world, **kernel, job, job.grid, parameters));
}

tl::expected<Kernel, std::string> sliced(World& world, Text const& text, std::string const& kernel) {
  return slice(text.ptx, kernel, [&](std::string_view name) -> std::optional<u64> {
    device::Range const range = world.fixture.program->global(name);
    return range.base != 0 ? std::optional(range.base) : std::nullopt;
  });
}

std::unique_ptr<Program> load(World& world, std::string const& ptx) {
  INFO(ptx);
  auto module = ptx::parse(ptx);
  INFO((module ? "" : module.error().message));
  REQUIRE(module.has_value());
  std::vector<ptx::Module> modules;
  modules.push_back(std::move(*module));
  auto program = Program::build(std::move(modules), world.fixture.memory);
  INFO((program ? "" : program.error().message));
  REQUIRE(program.has_value());
  return std::move(*program);
}

Result in_pieces(Text const& text, Job const& job, std::function<u64(u64)> const& blocks_of_piece) {
  World world(text);
  job.arguments(world);
  auto const made = sliced(world, text, text.kernel(job.kernel));
  INFO((made ? made->text : made.error()));
  REQUIRE(made.has_value());
  auto const program = load(world, made->text);
  auto const kernel = program->kernel(text.kernel(job.kernel));
  INFO((kernel ? "" : kernel.error().message));
  REQUIRE(kernel.has_value());
  device::FunctionInfo const info = program->info(**kernel);
  CHECK(info.parameters.back().offset == made->parameter_offset);
  CHECK(info.parameters.back().bytes == sizeof(Piece));

  Status status = Status::success;
  GridPieces pieces(job.grid, 0);
  for (u64 number = 0; status == Status::success; ++number) {
    pieces.set_blocks_per_piece(blocks_of_piece(number));
    auto const box = pieces.next();
    if (!box) break;
    Piece const piece{box->offset, job.grid};
    status = run(world, **kernel, job, box->size, packed(world, info, &piece));
  }
  return result_of(world, text, status);
}

} // namespace

Text::Text(std::string const& file) {
  std::ifstream in(std::string(PEGASUS_TEST_PTX_DIR) + "/" + file + ".ptx");
  CAPTURE(file);
  REQUIRE(in.good());
  std::stringstream all;
  all << in.rdbuf();
  ptx = all.str();
  auto const module = ptx::parse(ptx);
  REQUIRE(module.has_value());
  for (ptx::Function const& function : module->functions)
    if (function.entry) kernels.emplace_back(function.name);
  for (ptx::Variable const& variable : module->variables)
    if (variable.space == ptx::Space::global) variables.emplace_back(variable.name);
}

std::string Text::kernel(std::string const& part) const {
  std::vector<std::string> found;
  for (std::string const& name : kernels) {
    if (name == part) return name;
    if (name.find(part) != std::string::npos) found.push_back(name);
  }
  CAPTURE(part);
  REQUIRE(found.size() == 1);
  return found.front();
}

void compare(Text const& text, Job const& job) {
  INFO(job.kernel);
  Result const whole = in_one(text, job);
  u64 const row = job.grid[0], plane = row * job.grid[1];
  for (u64 const blocks : {u64{1}, row / 2 + 1, row, 2 * row, plane, 2 * plane, ~u64{0}}) {
    INFO(blocks << " blocks in a piece");
    CHECK((in_pieces(text, job, [=](u64) { return blocks; }) == whole));
  }
  CHECK((in_pieces(text, job, [](u64 piece) { return piece * 7 % 5 + 1; }) == whole));
}

void check_refused(Text const& text, std::string const& kernel, std::string const& reason) {
  World world(text);
  auto const made = sliced(world, text, text.kernel(kernel));
  INFO((made ? made->text : ""));
  REQUIRE_FALSE(made.has_value());
  CHECK_THAT(made.error(), Catch::Contains(reason));
}

} // namespace pegasus::slicing::testing
