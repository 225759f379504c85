// SPDX-License-Identifier: Apache-2.0
// What the program's start-up code told us: images, kernels and variables. Recording touches no device: an
// image is loaded into a context when one of its kernels or variables is first used there.
#pragma once

#include "frontend/cudart/bindings.h"
#include "frontend/cudart/context.h"
#include "frontend/cudart/image.h"

namespace pegasus::cudart {

struct Fatbin;

struct Symbol {
  enum class Kind { kernel, variable, managed_variable, library_kernel };

  Kind kind;
  void const* host;  // the address the program knows it by
  char const* name;  // as in the device code; the program's memory
  std::size_t bytes; // of a variable, as the host sees it
  Fatbin* image;     // null for kernels of a cudaLibrary_t
  CUkernel kernel;   // of a cudaLibrary_t
  BindingList bindings;
  Symbol* next_of_image;
  Symbol* same_address;
};

struct Fatbin {
  FatbinWrapper wrapper;
  bool managed; // has __managed__ variables
  BindingList modules;
  Symbol* symbols;
};

[[nodiscard]] Fatbin* add_image(FatbinWrapper const& wrapper);
void remove_image(Fatbin* image);
[[nodiscard]] bool add_symbol(Fatbin* image, Symbol::Kind kind, void const* host, char const* name,
                              std::size_t bytes);
// A kernel of a loaded cudaLibrary_t becomes known, or unknown, to the functions that take a kernel.
[[nodiscard]] bool add_library_kernel(CUkernel kernel);
void remove_library_kernel(CUkernel kernel);

// A registered host function, or a cudaKernel_t given out by us; nullptr: neither.
[[nodiscard]] Symbol* find_kernel(void const* function);
[[nodiscard]] Symbol* find_variable(void const* address);
// The kernel that is `function` in some context; nullptr: none of ours.
[[nodiscard]] Symbol* find_kernel(CUfunction function);

// The handle that cudaGetKernel gives out.
[[nodiscard]] cudaError_t kernel_handle(void const* function, cudaKernel_t& kernel);

// `function` for the current context.
[[nodiscard]] cudaError_t resolve_kernel(Driver const& driver, CUcontext context, Symbol& symbol,
                                         CUfunction& function);
[[nodiscard]] cudaError_t resolve_variable(Driver const& driver, CUcontext context, Symbol& symbol,
                                           CUdeviceptr& address, std::size_t& bytes);
// A handle was refused: forgets it if it belongs to an earlier context at the same address. true: worth a
// retry.
[[nodiscard]] bool forget_if_outlived(Driver const& driver, CUcontext context, Symbol& symbol);

// For functions that take a kernel: a context is current, and `call(Driver const&, CUfunction)` does the
// work.
template <class Call> cudaError_t with_function(void const* kernel, Call&& call) {
  Driver const* driver = nullptr;
  CUcontext context = nullptr;
  CUfunction function = nullptr;
  if (cudaError_t const error = enter(driver, context); error != cudaSuccess) return finish(error);
  Symbol* const symbol = find_kernel(kernel);
  if (symbol == nullptr) return finish(cudaErrorInvalidDeviceFunction);
  if (cudaError_t const error = resolve_kernel(*driver, context, *symbol, function); error != cudaSuccess)
    return finish(error);
  return finish(call(*driver, function));
}

} // namespace pegasus::cudart
