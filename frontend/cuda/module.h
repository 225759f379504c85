// SPDX-License-Identifier: Apache-2.0
// A loaded image with the functions and variables that the program looked up.
//
// A module belongs to a context. The module of a library belongs to none, and is loaded again when its device
// context is gone (epoch).
#pragma once

#include "frontend/cuda/function.h"
#include "frontend/cuda/image.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace pegasus::driver {

struct Module {
  using Handle = CUmodule;
  static constexpr Kind kind = Kind::module;

  CUmodule handle = nullptr;
  Context* context = nullptr; // nullptr: belongs to a library
  CUlibrary library = nullptr;
  std::uint64_t remote = 0;
  std::atomic<std::uint64_t> epoch = 0;
  std::mutex mutex;                                           // guards the rest
  std::map<std::string, std::unique_ptr<Function>> functions; // by name; stable addresses
  bool entries_known = false;                                 // the image was text
  std::vector<std::string> entries;                           // its kernels, in order
  Image image;                                                // kept for a library, to load it again
};

CUresult load(Channel& channel, Context* context, Image image, std::unique_ptr<Module>& module);
// Gives it a handle, or unloads it on failure.
CUresult publish(std::unique_ptr<Module> module, CUmodule* handle);
void destroy(Channel& channel, Module& module);

// If it returns nullptr, `status` says why. The function has no handle yet.
Function* find_function(Channel& channel, Module& module, char const* name, CUresult& status);
CUresult find_variable(Channel& channel, Module& module, char const* name, CUdeviceptr* address,
                       std::size_t* bytes);

// Loads a library's module again if its device context is gone.
CUresult refresh(Channel& channel, Module& module);

} // namespace pegasus::driver
