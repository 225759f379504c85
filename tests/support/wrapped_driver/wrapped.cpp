// SPDX-License-Identifier: Apache-2.0
#include "tests/support/wrapped_driver/wrapped.h"

#include <cstdio>
#include <cstdlib>

namespace pegasus::wrapped {
namespace {

std::string text(char const* name, char const* otherwise = "") {
  char const* const value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

unsigned long number(char const* name, unsigned long otherwise) {
  std::string const value = text(name);
  return value.empty() ? otherwise : std::strtoul(value.c_str(), nullptr, 0);
}

Settings read() {
  Settings settings;
  settings.driver = text("CUDA_WRAPPED_DRIVER");
  if (!text("CUDA_WRAPPED_FILL").empty())
    settings.fill = static_cast<std::uint32_t>(number("CUDA_WRAPPED_FILL", 0));
  settings.gpus = static_cast<int>(number("CUDA_WRAPPED_GPUS", 0));
  settings.visible = text("CUDA_VISIBLE_DEVICES");
  settings.node = text("CUDA_WRAPPED_NODE", "/dev/null");
  settings.compiler = text("CUDA_WRAPPED_COMPILER", "libnvidia-ptxjitcompiler.so.1");
  if (std::string const dead = text("CUDA_WRAPPED_DEAD"); dead.find(':') != std::string::npos) {
    settings.dead_gpu = std::stoi(dead);
    settings.dead_while = dead.substr(dead.find(':') + 1);
  }
  settings.switch_us = static_cast<unsigned>(number("CUDA_WRAPPED_SWITCH_US", 0));
  settings.compile_ms = static_cast<unsigned>(number("CUDA_WRAPPED_COMPILE_MS", 0));
  settings.probes = number("CUDA_WRAPPED_PROBES", 0) != 0;
  settings.context_mib = static_cast<unsigned>(number("CUDA_WRAPPED_CONTEXT_MIB", 0));
  settings.unpinned = number("CUDA_WRAPPED_UNPINNED", 0) != 0;
  settings.clusters = number("CUDA_WRAPPED_CLUSTERS", 0) != 0;
  settings.error = static_cast<CUresult>(number("CUDA_WRAPPED_ERROR", 0));
  settings.error_at = static_cast<unsigned>(number("CUDA_WRAPPED_ERROR_AT", 1));
  settings.error_kernel = text("CUDA_WRAPPED_ERROR_KERNEL");
  return settings;
}

cuda::Driver load() {
  if (settings().gpus > 0) unsetenv("CUDA_VISIBLE_DEVICES"); // the driver behind does not know these UUIDs
  auto const driver = cuda::Driver::load(settings().driver);
  if (driver) return *driver;
  std::fprintf(stderr, "wrapped driver: CUDA_WRAPPED_DRIVER: %s\n", driver.error().c_str());
  return {};
}

} // namespace

Settings const& settings() {
  static Settings const read_once = read();
  return read_once;
}

cuda::Driver const& behind() {
  static cuda::Driver const loaded_once = load();
  return loaded_once;
}

CUresult& lost() {
  static CUresult error = CUDA_SUCCESS;
  return error;
}

} // namespace pegasus::wrapped
