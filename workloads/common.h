// SPDX-License-Identifier: Apache-2.0
// Common code of the runtime-API workloads: a check of every call, device arrays, and reproducible input.
#pragma once

#include "workloads/arguments.h"
#include "workloads/report.h"

#include <algorithm>
#include <csignal>
#include <cuda_runtime.h>

// Every CUDA call of a workload is in one of these; a launch is followed by CHECK_CUDA(cudaGetLastError()).
#define CHECK_CUDA(call) ::workload::check((call), #call, __FILE__, __LINE__)

namespace workload {

inline char const* base_name(char const* path) {
  char const* slash = std::strrchr(path, '/');
  return slash ? slash + 1 : path;
}

inline void check(cudaError_t status, char const* call, char const* file, int line) {
  if (status == cudaSuccess) return;
  fail("%s:%d: %s: %s (%s)", base_name(file), line, call, cudaGetErrorName(status),
       cudaGetErrorString(status));
}

// Owns device memory for `size` elements; any failure ends the program.
template <class T> class DeviceArray {
public:
  explicit DeviceArray(std::size_t size) : size_(size) { CHECK_CUDA(cudaMalloc(&data_, size * sizeof(T))); }
  explicit DeviceArray(std::vector<T> const& host) : DeviceArray(host.size()) { upload(host); }
  DeviceArray(DeviceArray const&) = delete;
  DeviceArray& operator=(DeviceArray const&) = delete;
  ~DeviceArray() { CHECK_CUDA(cudaFree(data_)); }

  T* get() const { return data_; }
  std::size_t size() const { return size_; }

  void upload(std::vector<T> const& host) {
    CHECK_CUDA(cudaMemcpy(data_, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  }

  std::vector<T> download() const {
    std::vector<T> host(size_);
    CHECK_CUDA(cudaMemcpy(host.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
  }

  void fill_bytes(int byte) { CHECK_CUDA(cudaMemset(data_, byte, size_ * sizeof(T))); }

private:
  T* data_ = nullptr;
  std::size_t size_;
};

// xorshift32 (Marsaglia 2003): the same input on every machine and in every run.
class Random {
public:
  explicit Random(std::uint32_t seed = 2463534242u) : state_(seed) {}

  std::uint32_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return state_;
  }
  // 24 random bits: exact in float.
  float between(float low, float high) {
    return low + (high - low) * (static_cast<float>(next() >> 8) / 16777216.0f);
  }

private:
  std::uint32_t state_;
};

inline unsigned blocks_for(std::uint64_t threads, unsigned block) {
  return static_cast<unsigned>((threads + block - 1) / block);
}

// Set by SIGUSR1 after end_when_told(): a program that runs for a time ends early, and still verifies its result.
inline std::sig_atomic_t volatile told_to_end = 0;
inline void end_when_told() {
  std::signal(SIGUSR1, [](int) { told_to_end = 1; });
}

} // namespace workload
