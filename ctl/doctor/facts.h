// SPDX-License-Identifier: Apache-2.0
// What files say of a program: facts without a judgement, which findings.h makes of them.
#pragma once

#include "ctl/run/cuda_check.h"
#include "domA/device/image/architectures.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace pegasus::ctl::doctor {

struct UnusableKernel {
  std::string name;       // as in PTX, mangled
  std::string reason;     // without kernel and line: the same for all kernels with one instruction
  std::uint32_t line = 0; // of the PTX; 0: none is the reason
};

// The device code that an object registers with the runtime, as the software accelerator would load it.
struct ImageFacts {
  std::size_t images = 0;
  std::size_t without_code = 0; // no PTX for the software accelerator
  // Why an image with such PTX cannot be loaded, and how many cannot.
  std::map<std::string, std::size_t> refused;
  std::size_t left = 0; // whose PTX was not translated, for want of time
  image::Architectures found;
  std::size_t kernels = 0; // of the images that load
  std::size_t kernels_left = 0;
  std::vector<UnusableKernel> unusable;
};

// Functions that an object imports from a library of ours, and does not get.
struct FunctionFacts {
  std::string library;                   // "libcudart.so.13"
  std::vector<std::string> refused = {}; // they return an error
  std::vector<std::string> missing = {}; // the library does not export them
};

struct ObjectFacts {
  std::string path;
  bool is_program = false; // otherwise a library or a module that it loads
  CudaRuntime runtime = CudaRuntime::unknown;
  std::string libcudart = {};    // of a shared runtime: the file that the object asks for
  int release = 0;               // of NVIDIA's static runtime: 13; 0: not known
  std::string not_replaced = {}; // of NVIDIA's static runtime: why ours cannot take its place
  bool asks_for_libcuda = false;
  std::vector<FunctionFacts> functions = {};
  ImageFacts images = {};
};

struct NeededLibrary {
  std::string name;
  std::string needed_by;
};

struct Package {
  std::string name; // normalized: "cuda-python"
  std::string version;
};

struct Facts {
  std::string program;
  std::string incomplete;           // why nothing can run here: guest libraries that are missing
  std::string script_of;            // of a script: its interpreter
  std::vector<ObjectFacts> objects; // the program first; of the others only those with CUDA in them
  std::size_t plain_objects = 0;    // libraries without
  std::vector<NeededLibrary> nvidia;
  std::vector<NeededLibrary> not_found;
  bool is_python = false;
  std::vector<std::string> directories; // of Python's packages
  std::vector<Package> packages;        // those that findings.h may know
  std::size_t modules_left = 0;         // extension modules that were not looked at: there are too many
};

} // namespace pegasus::ctl::doctor
