// SPDX-License-Identifier: Apache-2.0
// Images, kernels and variables that the program's start-up code registered. Recording does not touch the
// device: an image is loaded into a context when one of its kernels or variables is first used there.
#pragma once

#include "frontend/cudart/bindings.h"
#include "frontend/cudart/context.h"
#include "frontend/cudart/image.h"

namespace pegasus::cudart {

struct Fatbin;

struct Symbol {
  enum class Kind { kernel, variable, managed_variable, library_kernel };

  Kind kind;
  void const* host;  // the address that the program uses for it
  char const* name;  // the name in the device code; the program's memory
  std::size_t bytes; // of a variable, as the host sees it
  Fatbin* image;     // nullptr for kernels of a cudaLibrary_t
  CUkernel kernel;   // of a cudaLibrary_t
  void** managed;    // of a managed variable: where the program has its address
  void* own_memory;  // of a managed variable, from malloc(): what it is until its image is loaded
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
// `*host`, of malloc(), is the program's variable until the image is loaded.
[[nodiscard]] bool add_managed_variable(Fatbin* image, void** host, char const* name, std::size_t bytes);
// Loads the image into the current context.
[[nodiscard]] cudaError_t load_image(Driver const& driver, CUcontext context, Fatbin& image);
[[nodiscard]] bool add_symbol(Fatbin* image, Symbol::Kind kind, void const* host, char const* name,
                              std::size_t bytes);
// Adds a kernel of a loaded cudaLibrary_t to, or removes it from, those that the functions below find.
[[nodiscard]] bool add_library_kernel(CUkernel kernel);
void remove_library_kernel(CUkernel kernel);

// Finds a registered host function or a cudaKernel_t returned by this library; nullptr if it is neither.
[[nodiscard]] Symbol* find_kernel(void const* function);
[[nodiscard]] Symbol* find_variable(void const* address);
// The kernel with the handle `function` in some context; nullptr if there is none.
[[nodiscard]] Symbol* find_kernel(CUfunction function);

// The handle that cudaGetKernel returns.
[[nodiscard]] cudaError_t kernel_handle(void const* function, cudaKernel_t& kernel);

// The CUfunction of `symbol` in the current context.
[[nodiscard]] cudaError_t resolve_kernel(Driver const& driver, CUcontext context, Symbol& symbol,
                                         CUfunction& function);
[[nodiscard]] cudaError_t resolve_variable(Driver const& driver, CUcontext context, Symbol& symbol,
                                           CUdeviceptr& address, std::size_t& bytes);
// The driver refused a handle: forgets it if it belongs to an earlier context at the same address. Returns
// true if a retry makes sense.
[[nodiscard]] bool forget_if_outlived(Driver const& driver, CUcontext context, Symbol& symbol);

// For functions that take a kernel: makes a context current and calls `call(Driver const&, CUfunction)`.
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
