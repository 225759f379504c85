// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/module_loader.h"

#include "domA/device/capabilities.h"
#include "domA/device/image/image.h"
#include "domA/device/software/module.h"

#include <fmt/format.h>
#include <limits>
#include <new>
#include <tl/expected.hpp>
#include <utility>

namespace pegasus::software {
namespace {

using device::Status;

// What else to do about an image without code for this device: a setting with which it would have some.
std::string other_remedy(std::span<std::byte const> bytes, std::uint32_t image_kind,
                         std::uint32_t compute_capability) {
  for (device::Capability const& other : device::capabilities)
    if (other.number > compute_capability && image::ptx_of_image(bytes, image_kind, other.number))
      return fmt::format("; or give pegasusd or `pegasus run` --compute-capability {}", other.name);
  return {};
}

tl::expected<std::vector<ptx::Module>, Program::Failure>
parse_image(std::span<std::byte const> bytes, std::uint32_t image_kind, std::uint32_t compute_capability) {
  auto texts = image::ptx_of_image(bytes, image_kind, compute_capability);
  if (!texts) {
    Program::Failure failure{texts.error().status, texts.error().message};
    if (failure.status == Status::no_binary_for_gpu)
      failure.message += other_remedy(bytes, image_kind, compute_capability);
    return tl::unexpected(std::move(failure));
  }
  return parse_units(std::move(*texts));
}

// The maximum memory of the units' variables, each rounded up to the allocation granule. Saturates.
std::uint64_t bytes_of_variables(std::vector<ptx::Module> const& units) {
  std::uint64_t total = 0;
  for (ptx::Module const& unit : units)
    for (ptx::Variable const& variable : unit.variables) {
      if (variable.space != ptx::Space::global && variable.space != ptx::Space::constant) continue;
      std::uint64_t const granule = variable.managed ? device::HostWindow::granule : Memory::granule;
      if (__builtin_add_overflow(total, variable.bytes, &total) ||
          __builtin_add_overflow(total, granule, &total))
        return std::numeric_limits<std::uint64_t>::max();
    }
  return total;
}

tl::unexpected<Program::Failure> no_memory(std::string message) {
  return tl::unexpected(Program::Failure{Status::out_of_memory, std::move(message)});
}

} // namespace

tl::expected<std::unique_ptr<Program>, Program::Failure> ModuleLoader::build(std::vector<ptx::Module> units) {
  // Ask the quotas before touching the memory; afterwards charge what is really used.
  std::uint64_t const wanted = bytes_of_variables(units);
  if (!memory_.task.reserve(wanted))
    return no_memory(fmt::format("its variables need {} bytes of device memory, {} are free", wanted,
                                 memory_.task.quota_left()));
  auto program = Program::build(std::move(units), memory_.space, isa_);
  if (program && memory_.task.charge_used()) return program;
  if (program) program = no_memory("its variables do not fit the domain's share of device memory");
  memory_.task.give_back();
  return program;
}

device::Status ModuleLoader::load(std::span<std::byte const> image, std::uint32_t image_kind,
                                  std::unique_ptr<device::Module>& module, std::string& log) {
  auto const refused = [&](Status status, std::string_view message) {
    log = message;
    state_.diagnose(fmt::format("a CUDA module could not be loaded: {}", message));
    return status;
  };
  try {
    auto units = parse_image(image, image_kind, limits_.compute_capability);
    if (!units) return refused(units.error().status, units.error().message);
    auto program = build(std::move(*units));
    if (!program) return refused(program.error().status, program.error().message);
    module = std::make_unique<SoftwareModule>(state_, memory_, limits_, std::move(*program));
    return Status::success;
  } catch (std::bad_alloc const&) { // the worker's own memory is limited too
    memory_.task.give_back();
    return refused(Status::out_of_memory, "the module is too large for the worker's memory limit");
  }
}

} // namespace pegasus::software
