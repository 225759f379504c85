// SPDX-License-Identifier: Apache-2.0
#include "domA/device/image/architectures.h"

#include <fmt/core.h>

namespace pegasus::image {
namespace {

// Keeps the message on one line, also for an image of thousands of parts.
constexpr std::size_t max_shown = 12;

std::string list(std::set<std::string> const& names) {
  std::string text;
  std::size_t shown = 0;
  for (std::string const& name : names) {
    if (shown++ == max_shown) return text + ", ...";
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

} // namespace

void Architectures::add(Architectures const& more) {
  ptx.insert(more.ptx.begin(), more.ptx.end());
  machine.insert(more.machine.begin(), more.machine.end());
  other.insert(more.other.begin(), more.other.end());
}

std::string Architectures::text() const {
  std::string holds;
  auto const append = [&holds](std::string const& what) { holds += (holds.empty() ? "" : " and ") + what; };
  if (!ptx.empty()) append("PTX for " + list(ptx));
  if (!machine.empty()) append("machine code for " + list(machine));
  if (!other.empty()) append(list(other));
  return holds.empty() ? "no code" : holds;
}

Failure Architectures::unusable(std::uint32_t compute_capability) const {
  return {device::Status::no_binary_for_gpu,
          fmt::format(
              "this image holds {}, but this device of compute capability {}.{} needs PTX for compute_{} or "
              "lower: build with PTX in the program, e.g. nvcc -gencode arch=compute_{},code=compute_{}",
              text(), compute_capability / 10, compute_capability % 10, compute_capability,
              compute_capability, compute_capability)};
}

} // namespace pegasus::image
