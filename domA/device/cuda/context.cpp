// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/context.h"

#include "domA/device/cuda/launch_config.h"
#include "domA/device/cuda/stream.h"
#include "domA/device/cuda/tensor_map.h"

#include <fmt/format.h>

namespace pegasus::cuda {

tl::expected<std::unique_ptr<device::Context>, std::string> make_cuda_context(Options const& options) {
  Driver const& driver = *options.driver;
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUresult result = driver.cuDeviceGet(&device, options.ordinal);
  if (result == CUDA_SUCCESS) result = driver.cuCtxCreate(&context, 0, device);
  if (result != CUDA_SUCCESS)
    return tl::unexpected(fmt::format("no context on GPU {}: {}", options.ordinal, driver.name_of(result)));
  return std::make_unique<CudaContext>(options, context);
}

CudaContext::CudaContext(Options const& options, CUcontext context)
    : options_(options), context_(context), facts_(facts_of(driver(), options.ordinal)),
      queue_(driver(), facts_.maps_host_memory, options.queued_launches, options.executing_since),
      state_(driver(), queue_, options.output_fd), transfers_(driver(), queue_, ranges_, state_),
      backing_(driver(), transfers_, state_),
      memory_(ranges_, backing_, options.memory, options.context_bytes),
      mapping_backing_(driver(), options.ordinal, transfers_, state_),
      mappings_(ranges_, mapping_backing_, memory_), arrays_(driver(), transfers_, memory_, state_),
      textures_(driver(), ranges_, transfers_.arrays(), state_), limits_(driver(), facts_, memory_, state_),
      loader_({driver(), facts_, ranges_, memory_, state_, CodeCache(options.code_cache)}) {
  if (!memory_.charge_used()) { // others took the memory meanwhile
    state_.lose(Status::out_of_memory);
    state_.note(fmt::format("the domain's share of device memory has no room for a context of {} MiB",
                            options.context_bytes >> 20));
  }
  if (!options.pinned.empty()) pin_call_buffer();
}

// If this fails the driver stages copies: slower, but correct.
void CudaContext::pin_call_buffer() {
  CUresult const result = driver().cuMemHostRegister(options_.pinned.data(), options_.pinned.size(), 0);
  pinned_ = result == CUDA_SUCCESS;
  if (options_.pageable != nullptr) options_.pageable->store(pinned_ ? 0 : 1, std::memory_order_relaxed);
  if (!pinned_)
    state_.note(fmt::format(
        "the call buffer of {} KiB cannot be pinned, so copies are slower: cuMemHostRegister says {}",
        options_.pinned.size() >> 10, driver().name_of(result)));
}

CudaContext::~CudaContext() {
  mappings_.close(); // the driver keeps such memory beyond its context
  textures_.close();
  arrays_.close();
  queue_.close();
  transfers_.close(); // waits until the device no longer reads the guest's pages
  if (pinned_) driver().cuMemHostUnregister(options_.pinned.data());
  driver().cuCtxDestroy(context_); // also destroys its streams
}

device::Status CudaContext::load_module(std::span<std::byte const> image, std::uint32_t image_kind,
                                        std::unique_ptr<device::Module>& module, std::string& log) {
  return lost() ? state_.lost() : loader_.load(image, image_kind, module, log);
}

device::Status CudaContext::allocate(std::uint64_t bytes, device::Address& address) {
  return lost() ? state_.lost() : explained(memory_.allocate(bytes, address), bytes);
}

device::Status CudaContext::explained(Status status, std::uint64_t bytes) {
  if (status == Status::out_of_memory)
    if (std::string const why = memory_.refusal(bytes); !why.empty()) state_.diagnose(why);
  return status;
}

device::Status CudaContext::free(device::Address address) {
  return lost() ? state_.lost() : memory_.free(address);
}

device::Status CudaContext::memory_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) {
  return lost() ? state_.lost() : memory_.info(free_bytes, total_bytes);
}

device::Status CudaContext::memory_range(device::Address address, device::Range& range) {
  return lost() ? state_.lost() : memory_.range(address, range);
}

device::Status CudaContext::reserve_addresses(std::uint64_t bytes, std::uint64_t aligned_to,
                                              device::Address hint, device::Address& base) {
  return lost() ? state_.lost() : mappings_.reserve(bytes, aligned_to, hint, base);
}

device::Status CudaContext::free_addresses(device::Range range) {
  return lost() ? state_.lost() : mappings_.free(range);
}

device::Status CudaContext::create_memory(std::uint64_t bytes,
                                          std::unique_ptr<device::PhysicalMemory>& made) {
  return lost() ? state_.lost() : explained(mappings_.create(bytes, made), bytes);
}

device::Status CudaContext::map(device::Range range, device::PhysicalMemory& memory) {
  return lost() ? state_.lost() : mappings_.map(range, memory);
}

device::Status CudaContext::unmap(device::Range range) {
  return lost() ? state_.lost() : mappings_.unmap(range);
}

device::Status CudaContext::set_access(device::Range range, bool accessible) {
  return lost() ? state_.lost() : mappings_.set_access(range, accessible);
}

device::Status CudaContext::set_limit(std::uint32_t limit, std::uint64_t& value) {
  return lost() ? state_.lost() : limits_.set(limit, value);
}

device::Status CudaContext::copy_to_device(device::Stream* stream, device::Rect const& target,
                                           std::span<std::byte const> source) {
  return lost() ? state_.lost() : transfers_.to_device(stream, target, source);
}

device::Status CudaContext::copy_from_device(device::Stream* stream, std::span<std::byte> target,
                                             device::Rect const& source) {
  return lost() ? state_.lost() : transfers_.from_device(stream, target, source);
}

device::Status CudaContext::copy_device(device::Stream* stream, device::Rect const& target,
                                        device::Address source, std::uint64_t source_pitch) {
  return lost() ? state_.lost() : transfers_.within_device(stream, target, source, source_pitch);
}

device::Status CudaContext::fill(device::Stream* stream, device::Rect const& target, std::uint32_t value,
                                 std::uint32_t element_bytes) {
  return lost() ? state_.lost() : transfers_.fill(stream, target, value, element_bytes);
}

device::Status CudaContext::create_stream(std::uint32_t flags, std::int32_t priority,
                                          std::unique_ptr<device::Stream>& stream) {
  if (lost()) return state_.lost();
  CUstream made = nullptr;
  CUresult const result = driver().cuStreamCreateWithPriority(&made, flags, priority);
  if (result == CUDA_SUCCESS) {
    transfers_.scrubber().is_new(made);
    stream = std::make_unique<CudaStream>(driver(), queue_, made);
  }
  return state_.answer(result);
}

device::Status CudaContext::create_event(std::uint32_t flags, std::unique_ptr<device::Event>& event) {
  if (lost()) return state_.lost();
  if ((flags & CU_EVENT_INTERPROCESS) != 0) return Status::not_supported;
  CUevent made = nullptr;
  CUresult const result = driver().cuEventCreate(&made, flags);
  if (result == CUDA_SUCCESS) event = std::make_unique<CudaEvent>(driver(), made);
  return state_.answer(result);
}

device::Status CudaContext::stream_query(device::Stream* stream) {
  if (lost()) return state_.lost();
  return state_.answer(driver().cuStreamQuery(handle_of(stream)));
}

device::Status CudaContext::stream_synchronize(device::Stream* stream) {
  if (lost()) return state_.lost();
  return state_.synchronized(driver().cuStreamSynchronize(handle_of(stream)));
}

device::Status CudaContext::stream_wait(device::Stream* stream, device::Event& event) {
  if (lost()) return state_.lost();
  return state_.answer(submitted(driver().cuStreamWaitEvent(handle_of(stream), handle_of(event), 0)));
}

device::Status CudaContext::event_record(device::Event& event, device::Stream* stream) {
  if (lost()) return state_.lost();
  return state_.answer(submitted(driver().cuEventRecord(handle_of(event), handle_of(stream))));
}

device::Status CudaContext::event_query(device::Event& event) {
  if (lost()) return state_.lost();
  return state_.answer(driver().cuEventQuery(handle_of(event)));
}

device::Status CudaContext::event_synchronize(device::Event& event) {
  if (lost()) return state_.lost();
  return state_.synchronized(driver().cuEventSynchronize(handle_of(event)));
}

device::Status CudaContext::event_elapsed(device::Event& start, device::Event& end, float& milliseconds) {
  if (lost()) return state_.lost();
  return state_.answer(driver().cuEventElapsedTime(&milliseconds, handle_of(start), handle_of(end)));
}

device::Status CudaContext::synchronize() {
  if (lost()) return state_.lost();
  return state_.synchronized(driver().cuCtxSynchronize());
}

device::Status CudaContext::launch(device::Stream* stream, device::Function& function,
                                   device::Launch const& launch, device::TimeSlice const& time_slice) {
  if (lost()) return state_.lost();
  auto& kernel = static_cast<CudaFunction&>(function);
  if (launch.parameters.size() != kernel.info().parameter_bytes) return Status::invalid_value;
  launch_ = std::make_unique<PendingLaunch>(driver(), queue_, transfers_.scrubber(), handle_of(stream),
                                            kernel, launch, options_.slice);
  return resume(time_slice);
}

device::Status CudaContext::resume(device::TimeSlice const& time_slice) {
  if (transfers_.waiting()) return transfers_.resume(time_slice);
  if (launch_ == nullptr) return Status::illegal_state;
  CUresult const result = launch_->go_on(time_slice);
  if (result == CUDA_ERROR_NOT_READY) return Status::not_ready;
  launch_.reset();
  return state_.answer(result);
}

device::Status CudaContext::cluster_occupancy(device::Function& function, device::Launch const& launch,
                                              device::ClusterQuestion question, int& value) {
  if (lost()) return state_.lost();
  auto const ask = question == device::ClusterQuestion::active ? driver().cuOccupancyMaxActiveClusters
                                                               : driver().cuOccupancyMaxPotentialClusterSize;
  if (ask == nullptr) return Status::not_supported;
  LaunchConfig const config(launch, launch.grid, nullptr);
  return state_.answer(ask(&value, static_cast<CudaFunction&>(function).handle(), config.get()));
}

device::Status CudaContext::encode_tensor_map(device::TensorMap const& map,
                                              device::TensorMap::Descriptor& descriptor) {
  return lost() ? state_.lost() : state_.answer(encode(driver(), map, descriptor));
}

device::Status CudaContext::create_array(device::ArrayShape const& shape, device::Address& base) {
  return lost() ? state_.lost() : explained(arrays_.create(shape, base), arrays_.needed(shape));
}

device::Status CudaContext::destroy_array(device::Address base) {
  return lost() ? state_.lost() : arrays_.destroy(base);
}

device::Status CudaContext::create_texture(device::TextureSource const& source,
                                           device::Sampling const& sampling, std::uint64_t& texture) {
  return lost() ? state_.lost() : textures_.create(source, sampling, texture);
}

device::Status CudaContext::destroy_texture(std::uint64_t texture) {
  return lost() ? state_.lost() : textures_.destroy(texture);
}

device::Status CudaContext::create_surface(device::Address level, std::uint64_t& surface) {
  return lost() ? state_.lost() : textures_.create_surface(level, surface);
}

device::Status CudaContext::destroy_surface(std::uint64_t surface) {
  return lost() ? state_.lost() : textures_.destroy_surface(surface);
}

} // namespace pegasus::cuda
