// SPDX-License-Identifier: Apache-2.0
// Modules, memory, limits, streams and events. Copies and launches: context_work.cpp.
#include "domA/device/software/context.h"

#include "domA/device/image/image.h"
#include "domA/device/ptx/parser.h"
#include "domA/device/software/module.h"
#include "domA/device/software/stream.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <new>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace pegasus::software {
namespace {

constexpr std::size_t diagnostic_bytes_max = 64 * 1024;
constexpr auto unsupported_limit = device::Status{215}; // CUDA_ERROR_UNSUPPORTED_LIMIT

enum Limit : std::uint32_t { // CUlimit
  stack_size = 0,
  printf_fifo_size = 1,
  malloc_heap_size = 2,
  max_l2_fetch_granularity = 5,
};

tl::expected<std::vector<ptx::Module>, Program::Failure> parse_image(std::span<const std::byte> bytes,
                                                                     std::uint32_t image_kind) {
  auto texts = image::ptx_of_image(bytes, image_kind, compute_capability);
  if (!texts) return tl::unexpected(Program::Failure{texts.error().status, texts.error().message});
  std::vector<ptx::Module> units;
  units.reserve(texts->size());
  for (std::string& text : *texts) {
    auto unit = ptx::parse(std::move(text));
    if (!unit)
      return tl::unexpected(Program::Failure{
          device::Status::invalid_ptx, fmt::format("PTX unit {} of {}, line {}: {}", units.size() + 1,
                                                   texts->size(), unit.error().line, unit.error().message)});
    units.push_back(std::move(*unit));
  }
  return units;
}

// What the units' variables will take at most, with the allocation granule of each. Saturates.
std::uint64_t bytes_of_variables(std::vector<ptx::Module> const& units) {
  constexpr std::uint64_t granule = 256;
  std::uint64_t total = 0;
  for (ptx::Module const& unit : units)
    for (ptx::Variable const& variable : unit.variables) {
      if (variable.space != ptx::Space::global && variable.space != ptx::Space::constant) continue;
      if (__builtin_add_overflow(total, variable.bytes, &total) ||
          __builtin_add_overflow(total, granule, &total))
        return std::numeric_limits<std::uint64_t>::max();
    }
  return total;
}

} // namespace

SoftwareContext::SoftwareContext(Options const& options, Isa isa, Limits const& limits)
    : options_(options), isa_(isa), account_(options.quota), memory_(options.memory_bytes), limits_(limits) {}

void SoftwareContext::diagnose(std::string_view text) {
  output_.add(OutputBuffer::Kind::diagnostic, fmt::format("pegasus: {}\n", text), diagnostic_bytes_max);
}

device::Status SoftwareContext::fail_load(Status status, std::string_view message, std::string& log) {
  log = message;
  diagnose(fmt::format("a CUDA module could not be loaded: {}", message));
  return status;
}

device::Status SoftwareContext::load_module(std::span<const std::byte> image, std::uint32_t image_kind,
                                            std::unique_ptr<device::Module>& module, std::string& log) try {
  if (state_ != Status::success) return state_;
  auto units = parse_image(image, image_kind);
  if (!units) return fail_load(units.error().status, units.error().message, log);

  // Ask the quotas before the memory is touched; afterwards charge what it really took.
  const std::uint64_t wanted = bytes_of_variables(*units);
  std::uint64_t with_module = 0;
  if (__builtin_add_overflow(memory_.used(), wanted, &with_module) || !account_.settle(with_module))
    return fail_load(Status::out_of_memory,
                     fmt::format("its variables need {} bytes of device memory, {} are free", wanted,
                                 options_.quota.free_bytes()),
                     log);
  auto program = Program::build(std::move(*units), memory_, isa_);
  if (!program) {
    (void)settle();
    return fail_load(program.error().status, program.error().message, log);
  }
  if (!settle()) {
    program->reset();
    (void)settle();
    return fail_load(Status::out_of_memory, "its variables do not fit the domain's share of device memory",
                     log);
  }
  module = std::make_unique<SoftwareModule>(this, std::move(*program));
  return Status::success;
} catch (std::bad_alloc const&) { // the worker's own memory is limited too
  (void)settle();
  return fail_load(Status::out_of_memory, "the module is too large for the worker's memory limit", log);
}

device::Status SoftwareContext::create_stream(std::uint32_t flags, std::int32_t,
                                              std::unique_ptr<device::Stream>& stream) {
  if (state_ != Status::success) return state_;
  constexpr std::uint32_t non_blocking = 1;
  if ((flags & ~non_blocking) != 0) return Status::invalid_value;
  stream = std::make_unique<SoftwareStream>(this);
  return Status::success;
}

device::Status SoftwareContext::create_event(std::uint32_t flags, std::unique_ptr<device::Event>& event) {
  if (state_ != Status::success) return state_;
  using Event = SoftwareEvent;
  if ((flags & ~(Event::blocking_sync | Event::disable_timing | Event::interprocess)) != 0)
    return Status::invalid_value;
  if ((flags & Event::interprocess) != 0)
    return (flags & Event::disable_timing) != 0 ? Status::not_supported : Status::invalid_value;
  event = std::make_unique<SoftwareEvent>(this, flags);
  return Status::success;
}

device::Status SoftwareContext::allocate(std::uint64_t bytes, device::Address& address) {
  if (state_ != Status::success) return state_;
  if (bytes == 0) return Status::invalid_value;
  const device::Address base = memory_.allocate(bytes); // address space only: pages come when touched
  if (base == 0) return Status::out_of_memory;
  if (!settle()) {
    (void)memory_.free(base);
    return Status::out_of_memory;
  }
  allocated_.insert(base);
  address = base;
  return Status::success;
}

device::Status SoftwareContext::free(device::Address address) {
  if (state_ != Status::success) return state_;
  if (address == 0) return Status::success;
  if (allocated_.erase(address) == 0 || !memory_.free(address)) return Status::invalid_value;
  (void)settle(); // less than before: cannot be refused
  return Status::success;
}

device::Status SoftwareContext::memory_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) {
  if (state_ != Status::success) return state_;
  const std::uint64_t used = memory_.used();
  const std::uint64_t own = options_.memory_bytes > used ? options_.memory_bytes - used : 0;
  total_bytes = std::min(options_.memory_bytes, options_.quota.total_bytes());
  free_bytes = std::min({own, options_.quota.free_bytes(), total_bytes});
  return Status::success;
}

device::Status SoftwareContext::memory_range(device::Address address, device::Range& range) {
  if (state_ != Status::success) return state_;
  const device::Range found = memory_.range(address);
  if (found.bytes == 0) return Status::not_found;
  range = found;
  return Status::success;
}

device::Status SoftwareContext::set_limit(std::uint32_t limit, std::uint64_t& value) {
  if (state_ != Status::success) return state_;
  switch (limit) {
  case stack_size: // 512 KiB: local memory of a thread, CUDA programming guide
    limits_.stack_bytes = value = std::clamp<std::uint64_t>(value, 1024, 512 * 1024);
    return Status::success;
  case printf_fifo_size:
    limits_.printf_bytes = value = std::clamp<std::uint64_t>(value, 4096, 64 << 20);
    return Status::success;
  case malloc_heap_size: {
    const std::uint64_t size =
        std::clamp<std::uint64_t>(value, 4096, std::max<std::uint64_t>(options_.memory_bytes, 4096));
    if (heap_ != nullptr && size != limits_.malloc_heap_bytes)
      return Status::invalid_value; // cuCtxSetLimit: too late
    limits_.malloc_heap_bytes = value = size;
    heap_size_set_ = true;
    return Status::success;
  }
  case max_l2_fetch_granularity: // a hint without a meaning here
    value = std::min<std::uint64_t>(value, 128);
    return Status::success;
  default:
    return unsupported_limit;
  }
}

device::Status SoftwareContext::check(device::Stream const* stream) const {
  if (state_ != Status::success || stream == nullptr) return state_;
  auto const* const own = dynamic_cast<SoftwareStream const*>(stream);
  return own != nullptr && own->context() == this ? Status::success : Status::invalid_handle;
}

device::Status SoftwareContext::check(device::Event const& event) const {
  if (state_ != Status::success) return state_;
  auto const* const own = dynamic_cast<SoftwareEvent const*>(&event);
  return own != nullptr && own->context() == this ? Status::success : Status::invalid_handle;
}

device::Status SoftwareContext::stream_query(device::Stream* stream) { return check(stream); }
device::Status SoftwareContext::stream_synchronize(device::Stream* stream) { return check(stream); }

device::Status SoftwareContext::stream_wait(device::Stream* stream, device::Event& event) {
  const Status status = check(stream);
  return status != Status::success ? status : check(event);
}

device::Status SoftwareContext::event_record(device::Event& event, device::Stream* stream) {
  if (const Status status = stream_wait(stream, event); status != Status::success) return status;
  static_cast<SoftwareEvent&>(event).record();
  return Status::success;
}

// An event that was never recorded counts as done (cuEventQuery, cuEventSynchronize).
device::Status SoftwareContext::event_query(device::Event& event) { return check(event); }
device::Status SoftwareContext::event_synchronize(device::Event& event) { return check(event); }

device::Status SoftwareContext::event_elapsed(device::Event& start, device::Event& end, float& milliseconds) {
  if (const Status status = check(start); status != Status::success) return status;
  if (const Status status = check(end); status != Status::success) return status;
  const auto from = static_cast<SoftwareEvent&>(start).time();
  const auto to = static_cast<SoftwareEvent&>(end).time();
  if (!from || !to) return Status::invalid_handle; // cuEventElapsedTime: never recorded, or without timing
  milliseconds = std::chrono::duration<float, std::milli>(*to - *from).count();
  return Status::success;
}

} // namespace pegasus::software
