// SPDX-License-Identifier: Apache-2.0
// A module in device memory, whose kernels can be run again from the same state of the memory. All programs use the same
// memory, so only one may exist at a time.
#pragma once

#include "domA/device/software/exec/handler_table.h"
#include "domA/device/software/exec/machine/launch.h"
#include "domA/device/software/exec/memory/memory.h"
#include "domA/device/software/exec/program.h"
#include "tests/fuzz/exec_twins.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pegasus::fuzz {

// What a program sees of its launches.
struct Story {
  Ending ending = Ending::refused;
  device::Status status = device::Status::success; // of the last launch
  bool paused = false; // a block: the other blocks then begin sooner or later than in an uninterrupted launch
  std::string told;
  std::vector<std::byte> memory; // of the buffers and variables, at the end
};

class ExecProgram {
public:
  // Compiled for `isa`. The names and the shape must outlive this object.
  ExecProgram(ptx::Module module, Names const& names, Shape const& shape, software::Isa isa);
  ~ExecProgram();
  ExecProgram(ExecProgram const&) = delete;
  ExecProgram& operator=(ExecProgram const&) = delete;

  // Launches the kernels one after the other, until one faults. Interrupting: before every other block.
  Story run(bool interrupting);
  // Makes the memory what it was before the first run, and replaces the baseline's lane loops by those of `isa`.
  void restore(software::Isa isa);

private:
  void build(ptx::Module&& module, software::Isa isa);
  void make_buffers();
  void keep_memory();
  [[nodiscard]] std::vector<std::byte> parameters(device::FunctionInfo const& info) const;
  [[nodiscard]] device::Status launch(software::Kernel const& kernel, bool interrupting, Story& story);
  void read(device::Range const& range, Story& story) const;
  [[nodiscard]] std::uint64_t blocks() const;

  Names const& names_;
  Shape const& shape_;
  software::Memory& memory_;
  std::unique_ptr<software::Program> program_;
  std::vector<software::Kernel const*> kernels_;
  std::string refusals_;
  std::vector<device::Range> buffers_;
  device::Range texels_;
  software::Textures textures_;
  std::vector<std::pair<device::Range, std::vector<std::byte>>> kept_; // each allocation before the first run
  std::unique_ptr<software::DeviceHeap> heap_;                         // of the run
};

} // namespace pegasus::fuzz
