// SPDX-License-Identifier: Apache-2.0
#include "ctl/doctor/translation.h"

#include "domA/device/image/fatbin.h"
#include "domA/device/image/image.h"
#include "domA/device/ptx/module.h"
#include "domA/device/software/exec/device_limits.h"
#include "domA/device/software/exec/memory/memory.h"
#include "domA/device/software/exec/program.h"

#include <new>
#include <span>
#include <utility>

namespace pegasus::ctl::doctor {
namespace {

constexpr std::uint64_t memory_bytes = std::uint64_t{4}
                                       << 30; // addresses for variables; only what is written takes memory

std::vector<std::string> kernels_of(std::vector<ptx::Module> const& units) {
  std::vector<std::string> names;
  for (ptx::Module const& unit : units)
    for (ptx::Function const& function : unit.functions)
      if (function.entry && function.defined) names.emplace_back(function.name);
  return names;
}

UnusableKernel unusable(std::string name, software::Program::Failure const& failure) {
  return {std::move(name), failure.reason.empty() ? failure.message : failure.reason, failure.line};
}

} // namespace

void Translation::add(EmbeddedImage const& image, ImageFacts& facts) const {
  ++facts.images;
  if (image.fatbins.empty()) {
    ++facts.refused["the image is damaged"];
    return;
  }
  try {
    std::vector<std::span<std::byte const>> parts;
    for (std::string const& fatbin : image.fatbins) {
      parts.push_back(std::as_bytes(std::span(fatbin)));
      if (auto const read =
              pegasus::image::read_fatbin(parts.back(), software::device_limits.front().compute_capability))
        facts.found.add(read->found);
    }
    auto texts = pegasus::image::ptx_of_parts(parts, software::device_limits.front().compute_capability);
    if (texts)
      translate(std::move(*texts), image.exact, facts);
    else if (texts.error().status == device::Status::no_binary_for_gpu)
      ++facts.without_code;
    else
      ++facts.refused[texts.error().message];
  } catch (std::bad_alloc const&) {
    ++facts.refused["there is not enough memory to translate it here"];
  }
}

void Translation::translate(std::vector<std::string> texts, bool exact, ImageFacts& facts) const {
  if (is_over()) {
    ++facts.left;
    return;
  }
  auto units = software::parse_units(std::move(texts));
  if (!units) {
    ++facts.refused[units.error().message];
    return;
  }
  std::vector<std::string> names = kernels_of(*units);
  software::Memory memory(memory_bytes);
  auto const program = software::Program::build(std::move(*units), memory);
  if (!program && !exact) // two units may have the same names
    ++facts.left;
  else if (!program)
    ++facts.refused[program.error().message];
  if (!program) return;
  facts.kernels += names.size();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (is_over()) {
      facts.kernels_left += names.size() - i;
      return;
    }
    if (auto const kernel = (*program)->kernel(names[i]); !kernel)
      facts.unusable.push_back(unusable(std::move(names[i]), kernel.error()));
  }
}

} // namespace pegasus::ctl::doctor
