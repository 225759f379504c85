// SPDX-License-Identifier: Apache-2.0
// A CUDA program that the fuzzer controls: any sequence of driver calls, each correct in itself. Whatever
// goes wrong is caused by the other end of the channel.
#pragma once

#include "frontend/cuda/cuda_api.h"
#include "tests/fuzz/input.h"

#include <array>
#include <cstddef>
#include <vector>

namespace pegasus::fuzz {

class ClientProgram {
public:
  explicit ClientProgram(Input& input);

  void step();    // one of the calls below
  void give_up(); // destroys the objects that are not destroyed with a context

private:
  static constexpr std::size_t kept = 8; // objects of each kind
  template <class T> using Kept = std::array<T, kept>;

  void ask_about_device();
  void allocate();
  void copy();
  void copy_rows();
  void fill();
  void load();
  void find_symbols();
  void ask_about_kernel();
  void launch();
  void use_streams();
  void use_events();
  void use_library();
  void make_graph();
  void use_graph();
  void synchronize();
  void ask_about_memory();
  // client_arrays.cpp
  void make_array();
  void copy_array();
  void use_texture();

  template <class T> T& any(Kept<T>& of) { return of[input_.take<std::uint8_t>() % kept]; }
  std::size_t size();
  CUfunction kernel();

  Input& input_;
  Kept<CUdeviceptr> memory_{};
  Kept<std::size_t> bytes_{}; // of memory_
  Kept<CUmodule> modules_{};
  Kept<CUfunction> kernels_{};
  Kept<CUlibrary> libraries_{};
  Kept<CUstream> streams_{}; // the first stays the default stream
  Kept<CUevent> events_{};
  Kept<CUgraph> graphs_{};
  Kept<CUgraphExec> graph_execs_{};
  Kept<CUarray> arrays_{};
  Kept<CUmipmappedArray> mipmaps_{};
  Kept<CUtexObject> textures_{};
};

} // namespace pegasus::fuzz
