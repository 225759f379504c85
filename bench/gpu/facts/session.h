// SPDX-License-Identifier: Apache-2.0
// A process's use of the first GPU: a context, a stream and the kernels of kernels.cu.
#pragma once

#include "domA/device/cuda/older_versions.h"
#include <cstdint>

#include <stdexcept>
#include <string>

namespace pegasus::facts {

// Thrown where this device or driver cannot do what a part is about: no failure.
struct NotHere : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws unless the call succeeded.
void check(CUresult result, char const* what);
[[nodiscard]] std::string name_of(CUresult result); // "CUDA_ERROR_NO_DEVICE"

class Mapped;

class Session {
public:
  enum class Code { ptx, machine_code };

  explicit Session(Code code = Code::ptx);

  [[nodiscard]] CUdevice device() const { return device_; }
  [[nodiscard]] CUstream stream() const { return stream_; }
  [[nodiscard]] int attribute(CUdevice_attribute attribute) const;

  // Kernels of one block. `microseconds` is the kernel's own time.
  CUresult launch_spin(double microseconds, CUstream stream);
  CUresult launch_empty(CUstream stream);
  // As many blocks as fill the GPU; one where nothing can end them but the limit.
  CUresult launch_endless(Mapped const& until, double limit_s);
  CUresult launch_fill(CUdeviceptr words, std::uint64_t count, std::uint32_t value);
  CUresult launch_count_equal(CUdeviceptr words, std::uint64_t count, std::uint32_t value, CUdeviceptr found);

  void synchronize() const { check(cuStreamSynchronize(stream_), "cuStreamSynchronize"); }
  // Whether the stream's work was done in time.
  [[nodiscard]] bool done_within(double seconds) const;
  // The own time of the last spin, which must be done.
  [[nodiscard]] double spun_us() const;
  // Where spin counts its ends from now on.
  void count_in(CUdeviceptr done) { done_ = done; }

private:
  void calibrate();

  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
  CUstream stream_ = nullptr;
  CUfunction empty_ = nullptr, spin_ = nullptr, endless_ = nullptr, fill_ = nullptr, count_equal_ = nullptr;
  CUdeviceptr scratch_ = 0; // what spin took, how often it ended, and whether endless is over
  CUdeviceptr done_ = 0;
  double cycles_per_us_ = 1000;
};

// A word that kernels read, and the host writes while they run, where the driver maps host memory.
class Mapped {
public:
  explicit Mapped(Session const& session);

  [[nodiscard]] bool usable() const { return host_ != nullptr; }
  [[nodiscard]] CUdeviceptr flag() const { return device_; }
  [[nodiscard]] CUdeviceptr rounds() const { return device_ + 64; }
  void raise() const; // after that kernels that wait for the flag end
  void lower() const;
  [[nodiscard]] std::uint64_t count() const; // of rounds

private:
  std::uint32_t volatile* host_ = nullptr;
  CUdeviceptr device_ = 0;
};

} // namespace pegasus::facts
