// SPDX-License-Identifier: Apache-2.0
// One task's context on the software accelerator: refuses calls once it is lost, refuses objects of other
// contexts, and passes all other calls to its parts. Every operation is complete when its call returns
// (stream.h says why this order is legal), so errors of the device's work are known at once. A launch still
// returns success and the next call returns its fault, as in CUDA. One thread.
#pragma once

#include "domA/device/device.h"
#include "domA/device/software/arrays.h"
#include "domA/device/software/copies.h"
#include "domA/device/software/device_memory.h"
#include "domA/device/software/engine_hold.h"
#include "domA/device/software/kernel_limits.h"
#include "domA/device/software/kernel_runner.h"
#include "domA/device/software/module_loader.h"
#include "domA/device/software/software_device.h"
#include "domA/device/software/task_state.h"

#include <memory>
#include <span>
#include <string>

namespace pegasus::software {

class SoftwareContext final : public device::Context {
public:
  using Status = device::Status;

  // `isa` and `limits` are set by tests; the defaults are the best instruction set and the usual limits.
  explicit SoftwareContext(Options const& options, Isa isa = Isa::best, Limits const& limits = {});

  Status load_module(std::span<std::byte const> image, std::uint32_t image_kind,
                     std::unique_ptr<device::Module>& module, std::string& log) override;
  Status create_stream(std::uint32_t flags, std::int32_t priority,
                       std::unique_ptr<device::Stream>& stream) override;
  Status create_event(std::uint32_t flags, std::unique_ptr<device::Event>& event) override;

  Status allocate(std::uint64_t bytes, device::Address& address) override;
  Status allocate_host(std::uint64_t bytes, device::HostMemory kind, device::Address& address) override;
  Status free(device::Address address) override;
  Status memory_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) override;
  Status memory_range(device::Address address, device::Range& range) override;
  Status reserve_addresses(std::uint64_t bytes, std::uint64_t alignment, device::Address hint,
                           device::Address& base) override;
  Status free_addresses(device::Range range) override;
  Status create_memory(std::uint64_t bytes, std::unique_ptr<device::PhysicalMemory>& made) override;
  Status map(device::Range range, device::PhysicalMemory& memory) override;
  Status unmap(device::Range range) override;
  Status set_access(device::Range range, bool accessible) override;
  Status evict() override { return memory_.task.evict(); }
  Status restore() override { return memory_.task.restore(); }

  Status copy_to_device(device::Stream*, device::Rect const& target,
                        std::span<std::byte const> source) override;
  Status copy_from_device(device::Stream*, std::span<std::byte> target, device::Rect const& source) override;
  Status copy_device(device::Stream*, device::Rect const& target, device::Address source,
                     std::uint64_t source_pitch) override;
  Status fill(device::Stream*, device::Rect const& target, std::uint32_t value,
              std::uint32_t element_bytes) override;
  Status launch(device::Stream*, device::Function&, device::Launch const&, device::TimeSlice const&) override;
  Status resume(device::TimeSlice const&) override;

  Status create_array(device::ArrayShape const& shape, device::Address& base) override;
  Status destroy_array(device::Address base) override;
  Status create_texture(device::TextureSource const& source, device::Sampling const& sampling,
                        std::uint64_t& texture) override;
  Status destroy_texture(std::uint64_t texture) override;
  Status create_surface(device::Address level, std::uint64_t& surface) override;
  Status destroy_surface(std::uint64_t surface) override;

  Status stream_query(device::Stream*) override;
  Status stream_synchronize(device::Stream*) override;
  Status stream_wait(device::Stream*, device::Event&) override;
  Status event_record(device::Event&, device::Stream*) override;
  Status event_query(device::Event&) override;
  Status event_synchronize(device::Event&) override;
  Status event_elapsed(device::Event& start, device::Event& end, float& milliseconds) override;
  Status synchronize() override { return state_.status(); }

  Status set_limit(std::uint32_t limit, std::uint64_t& value) override;

  device::Output take_output(std::size_t bytes) override { return state_.output().take(bytes); }
  bool output_pending() const override { return state_.output().pending(); }
  bool idle() override { return true; }
  device::Nanos device_busy() const override { return engine_.busy; }
  std::uint64_t memory_used() const override { return memory_.task.used(); }

private:
  [[nodiscard]] bool lost() const { return state_.status() != Status::success; }
  // After a refusal: tells the program whose limit it was.
  [[nodiscard]] Status explained(Status status, std::uint64_t bytes);
  // Returns success, the sticky error, or invalid_handle for a stream or event of another context.
  [[nodiscard]] Status check(device::Stream const* stream) const;
  [[nodiscard]] Status check(device::Event const& event) const;

  TaskState state_;
  DeviceMemory memory_;
  EngineUse engine_;
  KernelLimits limits_;
  ModuleLoader loader_;
  Copies copies_;
  Arrays arrays_;
  KernelRunner runner_;
};

} // namespace pegasus::software
