// SPDX-License-Identifier: Apache-2.0
// Any text as xl.cfg's option for an accelerator. The result is a sentence, or settings within their limits:
// when they are written to a device's nodes, they are read back unchanged and without problems.
#include "domA/guests/xen/vaccel_option.h"
#include "tests/fuzz/require.h"

#include <cstdint>
#include <map>

namespace {

using pegasus::control::Settings;
using pegasus::fuzz::require;

using Nodes = std::map<std::string, std::string, std::less<>>;

Nodes nodes_of(Settings const& settings) {
  Nodes nodes;
  require(pegasus::xen::write_vaccel(settings, [&](std::string_view node, std::string const& value) {
    return nodes.emplace("/b/" + std::string(node), value).second;
  }));
  return nodes;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const text(reinterpret_cast<char const*>(data), size);
  (void)pegasus::xen::backend_in(text);
  auto const settings = pegasus::xen::parse_vaccel(text);
  if (!settings) {
    require(settings.error().starts_with("vaccel: "));
    return 0;
  }
  Nodes const nodes = nodes_of(*settings);
  auto const read = pegasus::xen::read_vaccel(
      "/b", std::nullopt, [&](std::string const& path) { return std::optional(nodes.at(path)); });
  require(read.problems.empty() && !read.unlimited_by_error);
  require(nodes_of(read.settings) == nodes);
  return 0;
}
