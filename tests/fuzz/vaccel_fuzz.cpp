// SPDX-License-Identifier: Apache-2.0
// Any text as xl.cfg's option for an accelerator: settings within their limits, which written as text again
// are read the same; or a sentence.
#include "domA/guests/xen/vaccel_option.h"

#include "tests/fuzz/require.h"

#include <cstdint>
#include <fmt/core.h>

namespace {

using pegasus::fuzz::require;
using pegasus::xen::VaccelOption;

std::string as_text(VaccelOption const& option) {
  std::string text = fmt::format("credits={},slo={:.3f},latency={}us", option.credits,
                                 option.slo_permille / 1000.0, option.latency_us);
  if (option.host_memory_kb != 0) text += fmt::format(",host-memory={}K", option.host_memory_kb);
  if (option.memory_kb != 0) text += fmt::format(",memory={}K", option.memory_kb);
  return text;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const option = pegasus::xen::parse_vaccel(std::string_view(reinterpret_cast<char const*>(data), size));
  if (!option) {
    require(option.error().starts_with("vaccel: "));
    return 0;
  }
  require(option->credits >= 1 && option->credits <= VaccelOption::credits_max);
  require(option->memory_kb <= VaccelOption::memory_kb_max &&
          option->host_memory_kb <= VaccelOption::memory_kb_max &&
          option->slo_permille <= VaccelOption::permille_max);
  require(option->latency_us == 0 || (option->latency_us >= VaccelOption::latency_us_min &&
                                      option->latency_us <= VaccelOption::latency_us_max));
  require(pegasus::xen::parse_vaccel(as_text(*option)) == *option);
  return 0;
}
