// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/test_fixture.h"

#include "domA/device/ptx/parser.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

namespace pegasus::software::test {

std::string with_header(std::string const& unit, std::uint32_t target) {
  if (unit.find(".version") != std::string::npos) return unit;
  return fmt::format(".version 7.5\n.target sm_{}\n.address_size 64\n", target) + unit;
}

static tl::expected<std::vector<ptx::Module>, std::string> parse_all(std::vector<std::string> const& units) {
  std::vector<ptx::Module> modules;
  for (std::string const& unit : units) {
    auto module = ptx::parse(with_header(unit));
    if (!module)
      return tl::unexpected(fmt::format("line {}: {}", module.error().line, module.error().message));
    modules.push_back(std::move(*module));
  }
  return modules;
}

std::string Fixture::build_error(std::vector<std::string> const& units, std::string_view kernel) {
  auto modules = parse_all(units);
  if (!modules) return modules.error();
  Memory memory(std::uint64_t{16} << 20);
  auto program = Program::build(std::move(*modules), memory);
  if (!program) return program.error().message;
  if (kernel.empty()) return {};
  auto const made = (*program)->kernel(kernel);
  return made ? std::string{} : made.error().message;
}

Fixture::Fixture(std::vector<std::string> const& units, Isa isa) {
  auto modules = parse_all(units);
  if (!modules) FAIL(modules.error());
  auto made = Program::build(std::move(*modules), memory, isa);
  if (!made) FAIL(made.error().message);
  program = std::move(*made);
}

Outcome Fixture::launch(std::string_view name, device::Dim3 grid, device::Dim3 block,
                        std::vector<std::uint64_t> const& arguments, std::uint32_t dynamic_shared) {
  auto const kernel = program->kernel(name);
  if (!kernel) FAIL(kernel.error().message);
  device::FunctionInfo const info = program->info(**kernel);
  REQUIRE(info.parameters.size() == arguments.size());
  std::vector<std::byte> parameters(info.parameter_bytes);
  for (std::size_t i = 0; i < arguments.size(); ++i)
    std::memcpy(parameters.data() + info.parameters[i].offset, &arguments[i],
                std::min<std::size_t>(8, info.parameters[i].bytes));
  device::Launch launch;
  launch.grid = grid;
  launch.block = block;
  launch.dynamic_shared_bytes = dynamic_shared;
  launch.parameters = parameters;
  launch.cooperative = cooperative;
  return run_whole(**kernel, launch);
}

namespace {

class Endless final : public device::TimeSlice {
public:
  bool over() const override { return false; }
};

} // namespace

Outcome Fixture::run_whole(Kernel const& kernel, device::Launch const& launch) {
  Run run(kernel, launch, memory, heap_, textures, limits);
  REQUIRE(run.go_on(Endless()));
  text += run.text();
  return run.outcome();
}

void Fixture::run(std::string_view name, device::Dim3 grid, device::Dim3 block,
                  std::vector<std::uint64_t> const& arguments, std::uint32_t dynamic_shared) {
  Outcome const outcome = launch(name, grid, block, arguments, dynamic_shared);
  INFO(outcome.diagnostic);
  REQUIRE(outcome.status == device::Status::success);
}

namespace {

std::uint32_t bits_of(std::string const& type) {
  if (type == "pred") return 1;
  return static_cast<std::uint32_t>(std::stoul(type.substr(type.find_first_of("0123456789"))));
}

// Each column is an array of 64-bit cells; thread i uses cell i.
std::string load_column(std::string const& reg, std::string const& type, int column) {
  if (type.empty()) return {};
  std::string const cell = fmt::format("add.s64 %addr, %base, {};\n", 8 * column);
  if (type == "pred")
    return cell + fmt::format("ld.global.u8 %byte, [%addr];\nsetp.ne.s16 {}, %byte, 0;\n", reg);
  return cell + fmt::format("ld.global.b{} {}, [%addr];\n", bits_of(type), reg);
}

std::string declare(std::string const& reg, std::string const& type) {
  if (type.empty()) return {};
  return fmt::format(".reg .{} {};\n", type == "pred" ? "pred" : fmt::format("b{}", bits_of(type)), reg);
}

std::string store_result(std::string const& type) {
  if (type == "pred") return "selp.u16 %byte, 1, 0, %d;\nst.global.u8 [%base+24], %byte;\n";
  return fmt::format("st.global.b{} [%base+24], %d;\n", bits_of(type));
}

} // namespace

std::vector<std::uint64_t> run_snippet(Snippet const& s, std::vector<std::array<std::uint64_t, 3>> const& in,
                                       Isa isa) {
  std::string const code =
      ".visible .entry k(.param .u64 p) {\n.reg .b64 %base, %addr, %off;\n.reg .b32 %t;\n"
      ".reg .b16 %byte;\n" +
      declare("%a", s.a) + declare("%b", s.b) + declare("%c", s.c) + declare("%d", s.d) +
      "ld.param.u64 %base, [p];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %off, %t, 32;\n"
      "add.s64 %base, %base, %off;\n" +
      load_column("%a", s.a, 0) + load_column("%b", s.b, 1) + load_column("%c", s.c, 2) + s.code + "\n" +
      store_result(s.d) + "ret;\n}\n";
  INFO(code);
  Fixture fixture(with_header(code, s.target), isa);
  std::vector<std::uint64_t> cells;
  for (auto const& row : in) {
    cells.insert(cells.end(), row.begin(), row.end());
    cells.push_back(0);
  }
  Address const at = fixture.put(cells);
  fixture.run("k", {1, 1, 1}, {static_cast<std::uint32_t>(in.size()), 1, 1}, {at});
  cells = fixture.get<std::uint64_t>(at, cells.size());
  std::vector<std::uint64_t> result;
  for (std::size_t i = 0; i < in.size(); ++i)
    result.push_back(cells[4 * i + 3]);
  return result;
}

} // namespace pegasus::software::test
