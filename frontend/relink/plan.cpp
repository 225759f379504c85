// SPDX-License-Identifier: Apache-2.0
#include "frontend/relink/plan.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace pegasus::relink {
namespace {

// The runtime of the release's first version does not have them.
bool is_later(std::string_view name) {
#define PEGASUS_LATER(later)                                                                                 \
  if (name == #later) return true;
#include "frontend/cudart/later_releases.inc"
#include "frontend/relink/later_releases.inc"
#undef PEGASUS_LATER
  return false;
}

Plan refused(std::string why) { return {{}, std::move(why)}; }

} // namespace

std::vector<Function> runtime_functions(ElfFile const& file, std::uint32_t table) {
  static constexpr std::array<std::string_view, 2> prefixes = {"cuda", "__cuda"};
  return file.functions(table, prefixes);
}

bool holds_our_runtime(ElfFile const& file) {
  // In two parts: an object that holds this check is not taken for one of them.
  static std::string const mark = std::string("PEGASUS_CUDART_") + "STATIC";
  std::array<std::string_view, 1> const marks = {mark};
  return file.contains(marks).front();
}

int release_of(std::vector<Function> const& object) {
  auto const has = [&](std::string_view name) {
    return std::ranges::find(object, name, &Function::name) != object.end();
  };
  if (!has("__cudaRegisterFatBinary") || !has("cudaLaunchKernel")) return 0; // no other object has both
  return has("cudaBindTexture") ? 11 : has("cudaGetDeviceProperties_v2") ? 12 : 13;
}

std::string_view runtime_name(int release) {
  return release == 11 ? "libcudart.so.11.0" : release == 12 ? "libcudart.so.12" : "libcudart.so.13";
}

Plan plan_of(std::vector<Function> const& object, std::vector<Function> const& ours) {
  int const release = release_of(object);
  if (release == 0) return {};
  std::unordered_map<std::string_view, Function const*> there;
  for (Function const& function : object)
    there.emplace(function.name, &function);

  Plan plan;
  std::uint64_t first = ~std::uint64_t{0}, last = 0; // where the runtime is
  for (Function const& our : ours) {
    auto const found = there.find(our.name);
    if (found == there.end() && is_later(our.name)) continue;
    if (found == there.end())
      return refused("it is of an unknown version of CUDA " + std::to_string(release) + ": it has no " +
                     our.name);
    Function const& theirs = *found->second;
    if (theirs.room < jump_bytes) return refused(our.name + " is too short");
    plan.jumps.push_back({theirs.address, our.address});
    first = std::min(first, theirs.address);
    last = std::max(last, theirs.address);
    there.erase(found);
  }
  for (auto const& [name, function] : there)
    if (function->address >= first && function->address <= last && !name.starts_with("__cudart"))
      return refused("it is of a newer CUDA release: Pegasus has no " + std::string(name));
  return plan;
}

} // namespace pegasus::relink
