// SPDX-License-Identifier: Apache-2.0
// Does what nvcc's start-up code does for a file, without nvcc.
#pragma once

#include "frontend/cudart/image.h"

extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaUnregisterFatBinary(void**);
void __cudaRegisterFunction(void**, char const*, char*, char const*, int, uint3*, uint3*, dim3*, dim3*, int*);
void __cudaRegisterVar(void**, char*, char*, char const*, int, std::size_t, int, int);
char __cudaInitModule(void**);
void __cudaRegisterManagedVar(void**, void**, char*, char const*, int, std::size_t, int, int);
}

inline std::uint64_t const image_data[4] = {0x00100001BA55ED50ull, 16, 0, 0};

// Registers a file with the given kernels and variables, as nvcc's start-up code does.
class Program {
public:
  Program() { handle_ = __cudaRegisterFatBinary(&wrapper_); }
  Program(Program const&) = delete;
  Program& operator=(Program const&) = delete;
  ~Program() { __cudaUnregisterFatBinary(handle_); }

  void kernel(char const* host, char const* name) {
    __cudaRegisterFunction(handle_, host, nullptr, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  }
  void variable(char* host, char const* name) {
    __cudaRegisterVar(handle_, host, nullptr, name, 0, 64, 0, 0);
  }
  void init() { __cudaInitModule(handle_); } // as before the host's access to a managed variable
  void managed(void** host, char const* name) {
    __cudaRegisterManagedVar(handle_, host, nullptr, name, 0, 4, 0, 0);
  }
  void end() { __cudaRegisterFatBinaryEnd(handle_); }

private:
  pegasus::cudart::FatbinWrapper wrapper_{pegasus::cudart::FatbinWrapper::magic_value, 1, image_data,
                                          nullptr};
  void** handle_ = nullptr;
};
