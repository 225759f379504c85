// SPDX-License-Identifier: Apache-2.0
#include "ctl/doctor/image_findings.h"

#include "ctl/doctor/kernel_name.h"
#include "domA/device/capabilities.h"

#include <algorithm>
#include <fmt/core.h>
#include <functional>
#include <map>
#include <utility>

namespace pegasus::ctl::doctor {
namespace {

constexpr std::size_t most_reasons = 20; // that are shown; --verbose shows every kernel
constexpr char const* others_run = "only their launches fail; a GPU knows all instructions";

// The kernels that will not run for one reason.
struct Group {
  std::string_view reason;
  std::size_t kernels = 0;
  UnusableKernel const* first = nullptr;
};

// The most frequent reasons first.
std::vector<Group> grouped(std::vector<UnusableKernel> const& kernels) {
  std::map<std::string_view, Group> groups;
  for (UnusableKernel const& kernel : kernels) {
    Group& group = groups[kernel.reason];
    if (group.kernels++ == 0) group = {kernel.reason, 1, &kernel};
  }
  std::vector<Group> sorted;
  for (auto const& [reason, group] : groups)
    sorted.push_back(group);
  std::ranges::stable_sort(sorted, std::ranges::greater{}, &Group::kernels);
  return sorted;
}

std::string place(UnusableKernel const& kernel) {
  std::string const line = kernel.line == 0 ? "" : fmt::format(", PTX line {}", kernel.line);
  return readable_kernel(kernel.name) + line;
}

std::string remedy_without_code(ImageFacts const& facts) {
  std::string remedy =
      fmt::format("build with PTX for it, too: `nvcc -gencode arch=compute_{0},code=compute_{0}`, or "
                  "CMake's \"{0}-virtual\" in CMAKE_CUDA_ARCHITECTURES",
                  device::default_capability);
  for (device::Capability const& other : device::capabilities)
    if (facts.found.ptx.contains(fmt::format("compute_{}", other.number)))
      remedy += fmt::format("; or give pegasusd or `pegasus run` --compute-capability {}", other.name);
  return remedy;
}

Finding images_without_code(ImageFacts const& facts, std::string const& object, Weight weight) {
  std::string const number = fmt::format("{} of {}", facts.without_code, counted(facts.images, "image"));
  return {.weight = weight,
          .object = object,
          .about = "images",
          .what = fmt::format("{} cannot run on the software accelerator, which needs PTX for compute_{} or "
                              "lower; the object holds {}",
                              number, device::default_capability, facts.found.text()),
          .remedy = remedy_without_code(facts),
          .brief = fmt::format("{} of {}: no PTX for compute_{} or lower", number, object,
                               device::default_capability),
          .on_software = true};
}

void add_kernels(std::vector<Finding>& findings, ImageFacts const& facts, std::string const& object,
                 Weight weight, bool each_kernel) {
  std::vector<Group> const groups = grouped(facts.unusable);
  std::string const number = fmt::format("{} of {}", facts.unusable.size(), counted(facts.kernels, "kernel"));
  std::string const more = groups.size() > 1 ? ", and " + counted(groups.size() - 1, "more reason") : "";
  findings.push_back({.weight = weight,
                      .object = object,
                      .about = "kernels",
                      .what = number + " will not run on the software accelerator",
                      .remedy = others_run,
                      .brief = fmt::format("{} of {}: {}{}", number, object, groups.front().reason, more),
                      .on_software = true});
  auto const add = [&](std::string what) {
    findings.push_back(
        {.object = object, .about = "instruction", .what = std::move(what), .on_software = true});
  };
  if (each_kernel)
    for (UnusableKernel const& kernel : facts.unusable)
      add(fmt::format("{}: {}", place(kernel), kernel.reason));
  else
    for (std::size_t i = 0; i < std::min(groups.size(), most_reasons); ++i)
      add(fmt::format("{}: {}, first {}", groups[i].reason, counted(groups[i].kernels, "kernel"),
                      place(*groups[i].first)));
  if (!each_kernel && groups.size() > most_reasons)
    add(counted(groups.size() - most_reasons, "more reason") + "; --verbose shows each kernel");
}

} // namespace

std::string counted(std::size_t number, std::string_view what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

bool has_usable_code(ImageFacts const& facts) {
  return facts.left > 0 || facts.kernels_left > 0 || facts.unusable.size() < facts.kernels;
}

std::vector<Finding> image_findings(ImageFacts const& facts, std::string const& object, bool is_needed,
                                    bool each_kernel) {
  std::vector<Finding> findings;
  if (facts.images == 0) return findings;
  Weight const bad = is_needed && !has_usable_code(facts) ? Weight::all : Weight::part;
  findings.push_back({.object = object,
                      .about = "images",
                      .what = fmt::format("{}: {}", counted(facts.images, "image"), facts.found.text())});
  if (facts.without_code > 0) findings.push_back(images_without_code(facts, object, bad));
  for (auto const& [why, images] : facts.refused)
    findings.push_back({.weight = bad,
                        .object = object,
                        .about = "images",
                        .what = fmt::format("{} cannot be loaded: {}", counted(images, "image"), why),
                        .remedy = "only calls that need them fail; a GPU may load them",
                        .on_software = true});
  if (!facts.unusable.empty())
    add_kernels(findings, facts, object, bad, each_kernel);
  else if (facts.kernels > facts.kernels_left)
    findings.push_back({.object = object,
                        .about = "kernels",
                        .what = counted(facts.kernels - facts.kernels_left, "kernel") + " can run"});
  for (auto const& [number, what] : {std::pair{facts.left, "image"}, std::pair{facts.kernels_left, "kernel"}})
    if (number > 0)
      findings.push_back(
          {.object = object,
           .about = "kernels",
           .what = counted(number, what) + " not looked at, for want of time; --time gives more"});
  return findings;
}

} // namespace pegasus::ctl::doctor
