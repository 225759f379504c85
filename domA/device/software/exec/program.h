// SPDX-License-Identifier: Apache-2.0
// A module made executable: PTX (one or several units, linked by name) lowered to warp-wide code, its
// variables placed in device memory; and the one function that runs a kernel.
#pragma once

#include "domA/device/device.h"
#include "domA/device/ptx/module.h"
#include "domA/device/software/exec/catalogue.h"
#include "domA/device/software/exec/memory.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace pegasus::software {

class Kernel; // lowered code of one entry

class Program {
public:
  struct Failure {
    device::Status status; // invalid_ptx, out_of_memory, shared_object_symbol_not_found, ...
    std::string message;   // names the unit, line, and the opcode or symbol
  };
  // `memory` must outlive the program. Kernels are lowered when first asked for, so that loading a 26 MB
  // module with hundreds of kernels costs what is used; a kernel with an opcode we do not know fails when it
  // is asked for. `isa`: which of the host's instruction sets to use; tests choose, others take what is best.
  [[nodiscard]] static tl::expected<std::unique_ptr<Program>, Failure>
  build(std::vector<ptx::Module> units, Memory& memory, Isa isa = Isa::best);
  ~Program();

  [[nodiscard]] tl::expected<Kernel const*, Failure> kernel(std::string_view name);
  [[nodiscard]] device::FunctionInfo info(Kernel const&) const;
  [[nodiscard]] device::Range global(std::string_view name) const; // bytes == 0: none

private:
  struct State;
  explicit Program(std::unique_ptr<State>);
  std::unique_ptr<State> state_;
};

struct Limits {
  std::uint64_t malloc_heap_bytes = 8u << 20;
  std::uint64_t printf_bytes = 1u << 20;
  std::uint64_t stack_bytes = 1024; // per thread, at least; a kernel's own need comes on top
  // Backward branches of a block that runs alone before others get a turn: late, for it may not be waiting
  // for them.
  std::int64_t branches_alone = 1 << 20;
};

struct Outcome {
  device::Status status = device::Status::success;
  std::string diagnostic; // on a fault: kernel, block, thread, PTX line, what, address
};

class DeviceHeap; // device malloc's; one per context, lives across launches
[[nodiscard]] std::unique_ptr<DeviceHeap, void (*)(DeviceHeap*)> make_heap(Memory&, Limits const&);

// One launch, on the calling thread. What it is made of must outlive it; the parameters are copied.
class Run {
public:
  Run(Kernel const&, device::Launch const&, Memory&, DeviceHeap&, Limits const&);
  ~Run();

  // Runs the blocks in order. false: the turn was over before the last block and none is half done; go on
  // later.
  [[nodiscard]] bool go_on(device::Turn const&);
  // When it is done.
  [[nodiscard]] Outcome const& outcome() const;
  [[nodiscard]] std::string const& text() const; // of printf, at most limits.printf_bytes (oldest kept)

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace pegasus::software
