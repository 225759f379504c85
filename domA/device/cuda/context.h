// SPDX-License-Identifier: Apache-2.0
// One task's context on a GPU: refuses everything once it is lost, and passes calls to its parts. Work is
// asynchronous as CUDA defines it; work_queue.h accounts for it. One thread.
#pragma once

#include "domA/device/cuda/arrays.h"
#include "domA/device/cuda/context_limits.h"
#include "domA/device/cuda/cuda_device.h"
#include "domA/device/cuda/device_facts.h"
#include "domA/device/cuda/driver_mappings.h"
#include "domA/device/cuda/driver_memory.h"
#include "domA/device/cuda/launch.h"
#include "domA/device/cuda/module_loader.h"
#include "domA/device/cuda/task_state.h"
#include "domA/device/cuda/textures.h"
#include "domA/device/cuda/transfers.h"
#include "domA/device/cuda/work_queue.h"
#include "domA/device/memory/mappings.h"
#include "domA/device/memory/task_memory.h"

#include <memory>
#include <span>
#include <string>

namespace pegasus::cuda {

class CudaContext final : public device::Context {
public:
  using Status = device::Status;

  // Takes ownership of `context`, which is the thread's current one.
  CudaContext(Options const& options, CUcontext context);
  ~CudaContext() override;
  CudaContext(CudaContext const&) = delete;
  CudaContext& operator=(CudaContext const&) = delete;

  Status load_module(std::span<std::byte const> image, std::uint32_t image_kind,
                     std::unique_ptr<device::Module>& module, std::string& log) override;
  Status create_stream(std::uint32_t flags, std::int32_t priority,
                       std::unique_ptr<device::Stream>& stream) override;
  Status create_event(std::uint32_t flags, std::unique_ptr<device::Event>& event) override;

  Status allocate(std::uint64_t bytes, device::Address& address) override;
  Status free(device::Address address) override;
  Status memory_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) override;
  Status memory_range(device::Address address, device::Range& range) override;
  Status reserve_addresses(std::uint64_t bytes, std::uint64_t aligned_to, device::Address hint,
                           device::Address& base) override;
  Status free_addresses(device::Range range) override;
  Status create_memory(std::uint64_t bytes, std::unique_ptr<device::PhysicalMemory>& made) override;
  Status map(device::Range range, device::PhysicalMemory& memory) override;
  Status unmap(device::Range range) override;
  Status set_access(device::Range range, bool accessible) override;

  Status copy_to_device(device::Stream*, device::Rect const& target,
                        std::span<std::byte const> source) override;
  device::HostReads host_reads() override { return transfers_.host_reads(); }
  void finish_host_reads() override { transfers_.finish_host_reads(); }
  Status copy_from_device(device::Stream*, std::span<std::byte> target, device::Rect const& source) override;
  Status copy_device(device::Stream*, device::Rect const& target, device::Address source,
                     std::uint64_t source_pitch) override;
  Status fill(device::Stream*, device::Rect const& target, std::uint32_t value,
              std::uint32_t element_bytes) override;
  Status launch(device::Stream*, device::Function&, device::Launch const&, device::TimeSlice const&) override;
  Status resume(device::TimeSlice const&) override;
  [[nodiscard]] bool has_host_work() const override { return launch_ != nullptr && launch_->compiles(); }
  void do_host_work() override { launch_->compile(); }
  Status cluster_occupancy(device::Function&, device::Launch const&, device::ClusterQuestion,
                           int& value) override;
  Status encode_tensor_map(device::TensorMap const&, device::TensorMap::Descriptor&) override;

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
  Status synchronize() override;

  Status set_limit(std::uint32_t limit, std::uint64_t& value) override;

  device::Output take_output(std::size_t bytes) override { return state_.take_output(bytes); }
  bool output_pending() const override { return state_.output_pending(); }
  bool idle() override { return queue_.empty(); }
  device::Nanos device_busy() const override { return queue_.busy(); }
  std::uint64_t memory_used() const override { return memory_.used(); }

private:
  void pin_call_buffer();
  // After a refusal: tells the program whose limit it was.
  [[nodiscard]] Status explained(Status status, std::uint64_t bytes);
  [[nodiscard]] bool lost() const { return state_.lost() != Status::success; }
  [[nodiscard]] Driver const& driver() const { return *options_.driver; }

  Options options_;
  CUcontext context_;
  bool pinned_ = false; // options_.pinned is registered with the device
  DeviceFacts facts_;
  WorkQueue queue_;
  TaskState state_;
  memory::Ranges ranges_;
  Transfers transfers_;
  DriverMemory backing_;
  memory::TaskMemory memory_;
  DriverMappings mapping_backing_;
  memory::Mappings mappings_;
  DriverArrays arrays_;
  DriverTextures textures_;
  ContextLimits limits_;
  ModuleLoader loader_;
  std::unique_ptr<PendingLaunch> launch_;
};

} // namespace pegasus::cuda
