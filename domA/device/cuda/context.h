// SPDX-License-Identifier: Apache-2.0
// One task's context on a GPU. Work is asynchronous as CUDA defines it; work_queue.h keeps the account of it.
// One thread.
#pragma once

#include "domA/device/cuda/allocations.h"
#include "domA/device/cuda/cuda_device.h"
#include "domA/device/cuda/host_reads.h"
#include "domA/device/cuda/launch.h"
#include "domA/device/cuda/printed.h"
#include "domA/device/cuda/work_queue.h"

#include <string_view>

namespace pegasus::cuda {

class CudaContext final : public device::Context {
public:
  using Status = device::Status;

  // Takes `context` over, which is the thread's current one.
  CudaContext(Options const& options, CUcontext context);
  ~CudaContext() override;
  CudaContext(CudaContext const&) = delete;
  CudaContext& operator=(CudaContext const&) = delete;

  Status load_module(std::span<const std::byte> image, std::uint32_t image_kind,
                     std::unique_ptr<device::Module>& module, std::string& log) override;
  Status create_stream(std::uint32_t flags, std::int32_t priority,
                       std::unique_ptr<device::Stream>& stream) override;
  Status create_event(std::uint32_t flags, std::unique_ptr<device::Event>& event) override;

  Status allocate(std::uint64_t bytes, device::Address& address) override;
  Status free(device::Address address) override;
  Status memory_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) override;
  Status memory_range(device::Address address, device::Range& range) override;

  Status copy_to_device(device::Stream*, device::Rect const& target,
                        std::span<const std::byte> source) override;
  device::HostReads host_reads() override;
  void finish_host_reads() override;
  Status copy_from_device(device::Stream*, std::span<std::byte> target, device::Rect const& source) override;
  Status copy_device(device::Stream*, device::Rect const& target, device::Address source,
                     std::uint64_t source_pitch) override;
  Status fill(device::Stream*, device::Rect const& target, std::uint32_t value,
              std::uint32_t element_bytes) override;
  Status launch(device::Stream*, device::Function&, device::Launch const&, device::Turn const&) override;
  Status resume(device::Turn const&) override;

  Status stream_query(device::Stream*) override;
  Status stream_synchronize(device::Stream*) override;
  Status stream_wait(device::Stream*, device::Event&) override;
  Status event_record(device::Event&, device::Stream*) override;
  Status event_query(device::Event&) override;
  Status event_synchronize(device::Event&) override;
  Status event_elapsed(device::Event& start, device::Event& end, float& milliseconds) override;
  Status synchronize() override;

  Status set_limit(std::uint32_t limit, std::uint64_t& value) override;

  device::Output take_output(std::size_t bytes) override;
  bool output_pending() const override { return printed_.pending() || !diagnostics_.empty(); }
  bool settled() override { return queue_.empty(); }
  device::Nanos device_busy() const override { return queue_.busy(); }
  std::uint64_t memory_used() const override {
    return options_.context_bytes + limit_bytes_ + module_bytes_ + memory_.own_bytes();
  }

  // For this room's modules.
  [[nodiscard]] Driver const& driver() const { return *options_.driver; }
  [[nodiscard]] Allocations& memory() { return memory_; }
  [[nodiscard]] std::uint32_t multiprocessors() const { return multiprocessors_; }
  [[nodiscard]] std::uint32_t compute_capability() const { return compute_capability_; } // 90: 9.0
  void unloaded(std::uint64_t bytes);   // a module that was charged so much
  void diagnose(std::string_view text); // for the program
  void note(std::string text);          // for the operator; a few times

private:
  // What the driver said, told to the program once when its context is lost by it.
  [[nodiscard]] Status answer(CUresult result);
  [[nodiscard]] Status synchronized(CUresult result); // and what the kernels printed is here
  // Whether so much more than now may be had. What is had less than before is charged less by settle().
  [[nodiscard]] bool charge(std::uint64_t more);
  void settle() { (void)charge(0); }
  // What the driver sets aside for a limit beyond what a new context has.
  [[nodiscard]] std::uint64_t reserved(CUlimit which, std::uint64_t value) const;
  [[nodiscard]] Status load(std::span<const std::byte> image, std::uint32_t image_kind, CUmodule& loaded,
                            std::string& log);
  // Submits what the device itself does to so many bytes, once the queue has room, and accounts for it.
  template <class Submit>
  [[nodiscard]] CUresult run(CUstream stream, std::shared_ptr<KernelTime> const& time, std::uint64_t bytes,
                             Submit submit) {
    std::uint64_t const kilobytes = (bytes + 1023) / 1024;
    queue_.wait_for_room();
    queue_.begin(stream, *time, kilobytes);
    CUresult const result = submit();
    queue_.end(time, kilobytes);
    return result;
  }

  Options options_;
  CUcontext context_;
  CUstream scrubbing_ = nullptr;
  bool pinned_ = false; // options_.pinned is registered with the device
  std::uint32_t multiprocessors_ = 1;
  std::uint32_t compute_capability_ = 0;
  WorkQueue queue_;
  HostReadQueue reads_;
  Allocations memory_;
  Printed printed_;
  std::string diagnostics_;
  unsigned notes_left_ = 16;
  Status lost_ = Status::success; // the error that the context is lost by
  std::unique_ptr<PendingLaunch> launch_;
  std::shared_ptr<KernelTime> fills_ = std::make_shared<KernelTime>(); // by KiB
  std::shared_ptr<KernelTime> copies_ = std::make_shared<KernelTime>();
  std::uint64_t printf_bytes_ = 1 << 20;    // CU_LIMIT_PRINTF_FIFO_SIZE
  std::uint64_t module_bytes_ = 0;          // charged for modules
  std::uint64_t limit_bytes_ = 0;           // and for what limits set aside
  std::map<CUlimit, std::uint64_t> limits_; // reserved(), by limit
  std::uint64_t resident_threads_ = 0;      // on the whole device
};

} // namespace pegasus::cuda
