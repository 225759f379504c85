// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/context.h"

#include "domA/device/array_levels.h"
#include "domA/device/software/stream.h"

namespace pegasus::software {

SoftwareContext::SoftwareContext(Options const& options, Isa isa, Limits const& limits)
    : memory_(options.memory_bytes, options.host, options.quota), engine_{options.engine,
                                                                          options.executing_since,
                                                                          {}},
      limits_(state_, memory_, limits), loader_(state_, memory_, limits_.limits().device, isa),
      copies_(memory_, engine_), arrays_(memory_),
      runner_(state_, memory_, limits_, arrays_.textures(), engine_) {}

device::Status SoftwareContext::load_module(std::span<std::byte const> image, std::uint32_t image_kind,
                                            std::unique_ptr<device::Module>& module, std::string& log) {
  return lost() ? state_.status() : loader_.load(image, image_kind, module, log);
}

device::Status SoftwareContext::allocate(std::uint64_t bytes, device::Address& address) {
  return lost() ? state_.status() : explained(memory_.task.allocate(bytes, address), bytes);
}

device::Status SoftwareContext::allocate_host(std::uint64_t bytes, device::HostMemory kind,
                                              device::Address& address) {
  if (lost()) return state_.status();
  Status const status = memory_.task.allocate_host(bytes, kind, address);
  return kind == device::HostMemory::managed ? explained(status, bytes) : status;
}

device::Status SoftwareContext::explained(Status status, std::uint64_t bytes) {
  if (status == Status::out_of_memory)
    if (std::string const why = memory_.task.refusal(bytes); !why.empty()) state_.diagnose(why);
  return status;
}

device::Status SoftwareContext::free(device::Address address) {
  return lost() ? state_.status() : memory_.task.free(address);
}

device::Status SoftwareContext::memory_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) {
  return lost() ? state_.status() : memory_.task.info(free_bytes, total_bytes);
}

device::Status SoftwareContext::memory_range(device::Address address, device::Range& range) {
  return lost() ? state_.status() : memory_.task.range(address, range);
}

device::Status SoftwareContext::reserve_addresses(std::uint64_t bytes, std::uint64_t alignment,
                                                  device::Address hint, device::Address& base) {
  return lost() ? state_.status() : memory_.mappings.reserve(bytes, alignment, hint, base);
}

device::Status SoftwareContext::free_addresses(device::Range range) {
  return lost() ? state_.status() : memory_.mappings.free(range);
}

device::Status SoftwareContext::create_memory(std::uint64_t bytes,
                                              std::unique_ptr<device::PhysicalMemory>& made) {
  return lost() ? state_.status() : explained(memory_.mappings.create(bytes, made), bytes);
}

device::Status SoftwareContext::map(device::Range range, device::PhysicalMemory& memory) {
  return lost() ? state_.status() : memory_.mappings.map(range, memory);
}

device::Status SoftwareContext::unmap(device::Range range) {
  return lost() ? state_.status() : memory_.mappings.unmap(range);
}

device::Status SoftwareContext::set_access(device::Range range, bool accessible) {
  return lost() ? state_.status() : memory_.mappings.set_access(range, accessible);
}

device::Status SoftwareContext::set_limit(std::uint32_t limit, std::uint64_t& value) {
  return lost() ? state_.status() : limits_.set(limit, value);
}

device::Status SoftwareContext::copy_to_device(device::Stream* stream, device::Rect const& target,
                                               std::span<std::byte const> source) {
  Status const status = check(stream);
  return status != Status::success ? status : copies_.to_device(target, source);
}

device::Status SoftwareContext::copy_from_device(device::Stream* stream, std::span<std::byte> target,
                                                 device::Rect const& source) {
  Status const status = check(stream);
  return status != Status::success ? status : copies_.from_device(target, source);
}

device::Status SoftwareContext::copy_device(device::Stream* stream, device::Rect const& target,
                                            device::Address source, std::uint64_t source_pitch) {
  Status const status = check(stream);
  return status != Status::success ? status : copies_.within_device(target, source, source_pitch);
}

device::Status SoftwareContext::fill(device::Stream* stream, device::Rect const& target, std::uint32_t value,
                                     std::uint32_t element_bytes) {
  Status const status = check(stream);
  return status != Status::success ? status : copies_.fill(target, value, element_bytes);
}

device::Status SoftwareContext::create_array(device::ArrayShape const& shape, device::Address& base) {
  return lost() ? state_.status() : explained(arrays_.create(shape, base), device::bytes_of(shape));
}

device::Status SoftwareContext::destroy_array(device::Address base) {
  return lost() ? state_.status() : arrays_.destroy(base);
}

device::Status SoftwareContext::create_texture(device::TextureSource const& source,
                                               device::Sampling const& sampling, std::uint64_t& texture) {
  return lost() ? state_.status() : arrays_.create_texture(source, sampling, texture);
}

device::Status SoftwareContext::destroy_texture(std::uint64_t texture) {
  return lost() ? state_.status() : arrays_.destroy_texture(texture);
}

device::Status SoftwareContext::create_surface(device::Address level, std::uint64_t& surface) {
  return lost() ? state_.status() : arrays_.create_surface(level, surface);
}

device::Status SoftwareContext::destroy_surface(std::uint64_t surface) {
  return lost() ? state_.status() : arrays_.destroy_surface(surface);
}

device::Status SoftwareContext::launch(device::Stream* stream, device::Function& function,
                                       device::Launch const& launch, device::TimeSlice const& slice) {
  Status const status = check(stream);
  return status != Status::success ? status : runner_.launch(function, launch, slice);
}

device::Status SoftwareContext::resume(device::TimeSlice const& slice) { return runner_.resume(slice); }

device::Status SoftwareContext::create_stream(std::uint32_t flags, std::int32_t,
                                              std::unique_ptr<device::Stream>& stream) {
  if (lost()) return state_.status();
  constexpr std::uint32_t non_blocking = 1;
  if ((flags & ~non_blocking) != 0) return Status::invalid_value;
  stream = std::make_unique<SoftwareStream>(&state_);
  return Status::success;
}

device::Status SoftwareContext::create_event(std::uint32_t flags, std::unique_ptr<device::Event>& event) {
  if (lost()) return state_.status();
  using Event = SoftwareEvent;
  if ((flags & ~(Event::blocking_sync | Event::disable_timing | Event::interprocess)) != 0)
    return Status::invalid_value;
  if ((flags & Event::interprocess) != 0)
    return (flags & Event::disable_timing) != 0 ? Status::not_supported : Status::invalid_value;
  event = std::make_unique<SoftwareEvent>(&state_, flags);
  return Status::success;
}

device::Status SoftwareContext::check(device::Stream const* stream) const {
  if (lost() || stream == nullptr) return state_.status();
  auto const* const own = dynamic_cast<SoftwareStream const*>(stream);
  return own != nullptr && own->task() == &state_ ? Status::success : Status::invalid_handle;
}

device::Status SoftwareContext::check(device::Event const& event) const {
  if (lost()) return state_.status();
  auto const* const own = dynamic_cast<SoftwareEvent const*>(&event);
  return own != nullptr && own->task() == &state_ ? Status::success : Status::invalid_handle;
}

device::Status SoftwareContext::stream_query(device::Stream* stream) { return check(stream); }
device::Status SoftwareContext::stream_synchronize(device::Stream* stream) { return check(stream); }

device::Status SoftwareContext::stream_wait(device::Stream* stream, device::Event& event) {
  Status const status = check(stream);
  return status != Status::success ? status : check(event);
}

device::Status SoftwareContext::event_record(device::Event& event, device::Stream* stream) {
  if (Status const status = stream_wait(stream, event); status != Status::success) return status;
  static_cast<SoftwareEvent&>(event).record();
  return Status::success;
}

// An event that was never recorded counts as complete (cuEventQuery, cuEventSynchronize).
device::Status SoftwareContext::event_query(device::Event& event) { return check(event); }
device::Status SoftwareContext::event_synchronize(device::Event& event) { return check(event); }

device::Status SoftwareContext::event_elapsed(device::Event& start, device::Event& end, float& milliseconds) {
  if (Status const status = check(start); status != Status::success) return status;
  if (Status const status = check(end); status != Status::success) return status;
  auto const from = static_cast<SoftwareEvent&>(start).time();
  auto const to = static_cast<SoftwareEvent&>(end).time();
  if (!from || !to) return Status::invalid_handle; // cuEventElapsedTime: never recorded, or without timing
  milliseconds = std::chrono::duration<float, std::milli>(*to - *from).count();
  return Status::success;
}

} // namespace pegasus::software
