// SPDX-License-Identifier: Apache-2.0
#include "tests/support/wrapped_driver/wrapped.h"

#include <cstdio>
#include <cstdlib>

namespace pegasus::wrapped {
namespace {

std::string text(char const* name) {
  char const* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

unsigned long number(char const* name, unsigned long otherwise) {
  std::string const value = text(name);
  return value.empty() ? otherwise : std::strtoul(value.c_str(), nullptr, 0);
}

Wishes read() {
  Wishes wishes;
  wishes.driver = text("CUDA_WRAPPED_DRIVER");
  if (!text("CUDA_WRAPPED_FILL").empty())
    wishes.fill = static_cast<std::uint32_t>(number("CUDA_WRAPPED_FILL", 0));
  wishes.gpus = static_cast<int>(number("CUDA_WRAPPED_GPUS", 0));
  wishes.visible = text("CUDA_VISIBLE_DEVICES");
  if (std::string const dead = text("CUDA_WRAPPED_DEAD"); dead.find(':') != std::string::npos) {
    wishes.dead_gpu = std::stoi(dead);
    wishes.dead_while = dead.substr(dead.find(':') + 1);
  }
  wishes.threads = static_cast<unsigned>(number("CUDA_WRAPPED_THREADS", 0));
  wishes.error = static_cast<CUresult>(number("CUDA_WRAPPED_ERROR", 0));
  wishes.error_at = static_cast<unsigned>(number("CUDA_WRAPPED_ERROR_AT", 1));
  wishes.error_kernel = text("CUDA_WRAPPED_ERROR_KERNEL");
  return wishes;
}

cuda::Driver load() {
  auto const driver = cuda::Driver::load(wishes().driver);
  if (driver) return *driver;
  std::fprintf(stderr, "wrapped driver: CUDA_WRAPPED_DRIVER: %s\n", driver.error().c_str());
  return {};
}

} // namespace

Wishes const& wishes() {
  static Wishes const read_once = read();
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
