// SPDX-License-Identifier: Apache-2.0
#include "tests/support/real_driver/compilers.h"

#include "domA/device/cuda/empty_kernel.h"

#include <cstdint>
#include <dlfcn.h>
#include <fmt/format.h>
#include <string_view>
#include <type_traits>

namespace pegasus::real_driver {
namespace {

constexpr std::string_view ptx(cuda::empty_kernel);

template <class Function> Function* find(void* library, char const* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

// 0: it worked, as with all functions of both compilers; -1: it has no such function.
template <class... Parameters>
int call(int (*function)(Parameters...), std::type_identity_t<Parameters>... arguments) {
  return function == nullptr ? -1 : function(arguments...);
}

tl::expected<std::size_t, std::string> outcome(int error, std::size_t bytes) {
  if (error == 0 && bytes > 0) return bytes;
  return tl::unexpected(fmt::format("its compiler returned {} and {} bytes", error, bytes));
}

// libnvidia-ptxjitcompiler.so.1.
tl::expected<std::size_t, std::string> with_driver(void* library) {
  char const* options[] = {"--gpu-name=sm_80"};
  void* compiler = nullptr;
  std::size_t bytes = 0;
  int error = call(find<int(void**, std::size_t, char const*)>(library, "nvPTXCompilerCreate"), &compiler,
                   ptx.size(), ptx.data());
  if (error == 0)
    error = call(find<int(void*, int, char const* const*)>(library, "nvPTXCompilerCompile"), compiler, 1,
                 options);
  if (error == 0)
    error = call(find<int(void*, std::size_t*)>(library, "nvPTXCompilerGetCompiledProgramSize"), compiler,
                 &bytes);
  return outcome(error, bytes);
}

// libnvJitLink.so.
tl::expected<std::size_t, std::string> with_toolkit(void* library) {
  constexpr int input_ptx = 2;
  char const* options[] = {"-arch=sm_90"};
  void* linker = nullptr;
  std::size_t bytes = 0;
  int error =
      call(find<int(void**, std::uint32_t, char const**)>(library, "nvJitLinkCreate"), &linker, 1, options);
  if (error == 0)
    error = call(find<int(void*, int, void const*, std::size_t, char const*)>(library, "nvJitLinkAddData"),
                 linker, input_ptx, ptx.data(), ptx.size() + 1, "empty");
  if (error == 0) error = call(find<int(void*)>(library, "nvJitLinkComplete"), linker);
  if (error == 0)
    error = call(find<int(void*, std::size_t*)>(library, "nvJitLinkGetLinkedCubinSize"), linker, &bytes);
  return outcome(error, bytes);
}

} // namespace

tl::expected<std::size_t, std::string> compile_with(std::string const& library) {
  void* const loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) return tl::unexpected(std::string(dlerror()));
  return dlsym(loaded, "nvJitLinkCreate") != nullptr ? with_toolkit(loaded) : with_driver(loaded);
}

} // namespace pegasus::real_driver
