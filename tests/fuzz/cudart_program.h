// SPDX-License-Identifier: Apache-2.0
// A program on the runtime API that the fuzzer controls: any sequence of calls and registrations. It may pass
// wrong numbers and names, but each pointer is to as much memory as the call says.
#pragma once

#include "frontend/cudart/image.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/require.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cuda_runtime_api.h>
#include <memory>
#include <vector>

namespace pegasus::fuzz {

// A variable that a call writes. The bytes around it stay as they are.
template <class T> class Guarded {
public:
  Guarded() {
    before_.fill(untouched);
    after_.fill(untouched);
  }
  Guarded(Guarded const&) = delete;
  Guarded& operator=(Guarded const&) = delete;
  ~Guarded() {
    auto const is_untouched = [](std::byte b) { return b == untouched; };
    require(std::ranges::all_of(before_, is_untouched) && std::ranges::all_of(after_, is_untouched));
  }
  [[nodiscard]] T* operator&() { return &value_; }
  [[nodiscard]] T const& get() const { return value_; }

private:
  static constexpr std::byte untouched{0x5a};
  std::array<std::byte, 32> before_{};
  T value_{};
  std::array<std::byte, 32> after_{};
};

class CudartProgram {
public:
  explicit CudartProgram(Input& input);

  void step(); // a few calls
  // Unregisters everything and destroys what a reset of the device does not.
  void give_up();

private:
  static constexpr std::size_t kept = 6; // objects of each kind
  template <class T> using Kept = std::array<T, kept>;

  // An image as nvcc puts it into a program, with enough memory for what its header says.
  struct Image {
    cudart::FatbinWrapper wrapper{};
    std::vector<std::byte> bytes;
    std::array<void const*, 3> units{};
    void** handle = nullptr;
    void* managed = nullptr; // where a managed variable is
  };

  // Every call's result: an error that the table knows, and recorded as CUDA says.
  cudaError_t answered(cudaError_t error);

  void register_image();
  void unregister_image();
  void get_errors();
  void launch();
  void launch_with_configuration();
  void ask_about_kernel();
  void ask_about_occupancy();
  void use_library();
  void reset();

  void allocate();
  void copy();
  void copy_rows();
  void fill();
  void copy_symbols();
  void ask_about_memory();

  void use_streams();
  void use_events();
  void make_graph();
  void use_graph();
  void capture();
  void ask_about_device();
  void set_limits();

  template <class T> T& any(Kept<T>& of) { return of[take<std::uint8_t>() % kept]; }
  template <class T> T take() { return input_.take<T>(); }
  std::size_t size();
  dim3 dimensions();
  void const* kernel(); // a host function, a handle, or neither
  void const* symbol();
  cudaMemcpyKind kind(cudaMemcpyKind usual);

  Input& input_;
  cudaError_t last_ = cudaSuccess; // what cudaPeekAtLastError should say
  Kept<std::unique_ptr<Image>> images_{};
  Kept<void*> memory_{};
  Kept<std::size_t> bytes_{}; // of memory_
  Kept<cudaStream_t> streams_{};
  Kept<cudaEvent_t> events_{};
  Kept<cudaGraph_t> graphs_{};
  Kept<cudaGraphExec_t> graph_execs_{};
  Kept<cudaKernel_t> kernels_{};
  Kept<cudaLibrary_t> libraries_{};
};

} // namespace pegasus::fuzz
