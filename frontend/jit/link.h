// SPDX-License-Identifier: Apache-2.0
// What a program has given to one link of nvJitLink, and the image that our libcuda takes for it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace pegasus::jit {

// The options of nvJitLinkCreate that matter here.
struct LinkOptions {
  bool for_machine_code = false; // -arch=sm_NN without -ptx
  bool optimises = false;        // -lto

  explicit LinkOptions(std::span<char const* const> options);
};

class Link {
public:
  // Keeps a copy of PTX, a cubin, a fatbin or an earlier result. False: it is none of these.
  bool add(std::span<std::byte const> image);

  // Adds nothing any more. PTX ends with NUL. Nothing if nothing was added.
  void complete();
  [[nodiscard]] std::span<std::byte const> result() const { return result_; }

private:
  std::vector<std::vector<std::byte>> parts_;
  std::vector<std::byte> result_;
};

enum class Form { ptx, machine_code, fatbin, linked, other };
[[nodiscard]] Form form_of(std::span<std::byte const> image);

} // namespace pegasus::jit
