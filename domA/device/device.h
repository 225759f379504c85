// SPDX-License-Identifier: Apache-2.0
// The accelerator's interface for the aVCPU. One Context per task; all calls come from the
// worker's one thread.
//
// Every operation that takes a Stream may return before it is done, as CUDA defines. The operations on one
// stream execute in order, and `legacy_default` streams order against all blocking streams. An error of
// asynchronous work is returned by the next call that synchronizes and, where CUDA calls it sticky, by every
// later call. Backends: software/ (executes PTX on the CPU), cuda/ (a real GPU). Units: bytes, nanoseconds.
#pragma once

#include "domA/device/host_window.h"
#include "domA/device/launch_attributes.h"
#include "domA/device/tensor_map.h"
#include "domA/device/texture.h"
#include "domA/device/time_slice.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pegasus::device {

// Numeric values are CUresult's: a status reaches the guest unchanged.
enum class Status : std::int32_t {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  not_initialized = 3,
  no_device = 100,
  invalid_device = 101,
  invalid_image = 200,
  invalid_context = 201,
  no_binary_for_gpu = 209,
  invalid_ptx = 218,
  unsupported_ptx_version = 222,
  invalid_source = 300,
  shared_object_symbol_not_found = 302,
  invalid_handle = 400,
  illegal_state = 401,
  not_found = 500,
  not_ready = 600, // not finished yet
  illegal_address = 700,
  launch_out_of_resources = 701,
  launch_timeout = 702,
  assert_failed = 710,
  illegal_instruction = 715,
  misaligned_address = 716,
  invalid_address_space = 717,
  invalid_pc = 718,
  launch_failed = 719,
  cooperative_launch_too_large = 720,
  not_supported = 801,
  invalid_cluster_size = 912,
  unknown = 999,
};

using Address = std::uint64_t; // a device address; never dereferenced outside the backend

// Static description; attribute[i] is CUdevice_attribute i.
struct Profile {
  std::string name;
  std::array<std::uint8_t, 16> uuid{};
  std::uint64_t memory_bytes = 0;
  std::uint32_t driver_version = 13000;
  std::array<std::int32_t, 160> attribute{};
};

struct ParameterLayout {
  std::uint32_t offset;
  std::uint32_t bytes;
};

struct FunctionInfo {
  std::vector<ParameterLayout> parameters;
  std::uint32_t parameter_bytes = 0;
  std::uint32_t max_threads_per_block = 1024;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t const_bytes = 0;
  std::uint32_t local_bytes = 0; // per thread
  std::uint32_t registers = 0;   // per thread
  std::uint32_t max_dynamic_shared_bytes = 48 * 1024;
  std::uint16_t ptx_version = 75;
  std::uint16_t binary_version = 75;
  std::array<std::uint8_t, 3> required_cluster{}; // 0: the kernel does not fix it
  bool cluster_must_be_set = false;
};

struct Range {
  Address base = 0;
  std::uint64_t bytes = 0;
};

// A 2D piece of device memory: `rows` rows of `row_bytes`, `pitch` bytes apart. rows == 1: a plain range.
struct Rect {
  Address address = 0;
  std::uint64_t pitch = 0;
  std::uint64_t row_bytes = 0;
  std::uint64_t rows = 1;
};

// Each object belongs to the Context that created it and must be destroyed before it.
class Stream {
public:
  virtual ~Stream() = default;
};
class Event {
public:
  virtual ~Event() = default;
};
class Function {
public:
  virtual ~Function() = default;
  [[nodiscard]] virtual FunctionInfo const& info() const = 0;
  // attribute is a CUfunction_attribute. Returns not_supported for attributes that cannot be set.
  [[nodiscard]] virtual Status set_attribute(std::int32_t attribute, std::int32_t value) = 0;
};
class Module {
public:
  virtual ~Module() = default;
  // Owned by the module; nullptr if there is no kernel of that name. The same name returns the same object.
  [[nodiscard]] virtual Function* function(std::string_view name) = 0;
  // bytes == 0 if there is no variable of that name.
  [[nodiscard]] virtual Range global(std::string_view name) = 0;
};

// Memory that is at no address of its own (cuMemCreate). Its end releases it; what is mapped stays until it is unmapped.
class PhysicalMemory {
public:
  virtual ~PhysicalMemory() = default;
};
inline constexpr std::uint64_t mapping_granule = 2 << 20; // of its sizes and of where it is mapped

struct Launch {
  Dim3 grid{1, 1, 1};
  Dim3 block{1, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;
  std::span<std::byte const> parameters; // packed by FunctionInfo::parameters; copied before launch() returns
  LaunchAttributes attributes{};
};

enum class ClusterQuestion : std::uint8_t {
  active = 1,  // how many clusters of the launch can be on the device at a time
  largest = 2, // the largest cluster with which it can be launched, in blocks
};

// Text from the device for the program.
struct Output {
  enum class Kind : std::uint32_t { printf_text = 1, diagnostic = 2 };
  Kind kind;
  std::string text;
};

// Copies to the device that continued after their call returned; they complete in the order in
// which they began.
struct HostReads {
  std::uint64_t begun = 0;
  std::uint64_t done = 0;
};

class Context {
public:
  virtual ~Context() = default;

  // `image_kind` as for MODULE_BEGIN in frontend/protocol/calls.h. On failure `log` says why and what to do.
  [[nodiscard]] virtual Status load_module(std::span<std::byte const> image, std::uint32_t image_kind,
                                           std::unique_ptr<Module>& module, std::string& log) = 0;

  [[nodiscard]] virtual Status create_stream(std::uint32_t flags, std::int32_t priority,
                                             std::unique_ptr<Stream>& stream) = 0;
  [[nodiscard]] virtual Status create_event(std::uint32_t flags, std::unique_ptr<Event>& event) = 0;

  [[nodiscard]] virtual Status allocate(std::uint64_t bytes, Address& address) = 0;
  // In the context's HostWindow; freed by free(). not_supported: it has none.
  [[nodiscard]] virtual Status allocate_host(std::uint64_t /*bytes*/, HostMemory, Address& /*address*/) {
    return Status::not_supported;
  }
  [[nodiscard]] virtual Status free(Address address) = 0;
  [[nodiscard]] virtual Status memory_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) = 0;
  [[nodiscard]] virtual Status memory_range(Address address, Range& range) = 0;

  // Addresses and memory apart, as cuMemAddressReserve, cuMemAddressFree, cuMemCreate, cuMemMap, cuMemUnmap and
  // cuMemSetAccess define it; only the device itself may have access. invalid_value, too: no multiple of the granule, a
  // part of a mapping. not_supported, of map(): it is mapped elsewhere. A device without it need not override these.
  [[nodiscard]] virtual Status reserve_addresses(std::uint64_t /*bytes*/, std::uint64_t /*alignment*/,
                                                 Address /*hint*/, Address& /*base*/) {
    return Status::not_supported;
  }
  [[nodiscard]] virtual Status free_addresses(Range) { return Status::not_supported; }
  [[nodiscard]] virtual Status create_memory(std::uint64_t /*bytes*/, std::unique_ptr<PhysicalMemory>&) {
    return Status::not_supported;
  }
  [[nodiscard]] virtual Status map(Range, PhysicalMemory&) { return Status::not_supported; }
  [[nodiscard]] virtual Status unmap(Range) { return Status::not_supported; }
  [[nodiscard]] virtual Status set_access(Range, bool /*accessible*/) { return Status::not_supported; }

  // Between two time slices, with no work on the device: what the task has in device memory goes to host memory, and
  // comes back. Addresses and handles stay. No other function is called in between, but for device_busy() and
  // memory_used(). not_supported: this device's memory cannot leave its addresses; out_of_memory: there is no room.
  [[nodiscard]] virtual Status evict() { return Status::not_supported; }
  [[nodiscard]] virtual Status restore() { return Status::success; }

  // nullptr is the default stream. Host rows are packed. The device may read `source` until host_reads()
  // reports the copy as done; a copy that is not counted there was read when the call returned.
  [[nodiscard]] virtual Status copy_to_device(Stream*, Rect const& target,
                                              std::span<std::byte const> source) = 0;
  // `begun` grows only in copy_to_device(). A backend that copies at once need not override this.
  [[nodiscard]] virtual HostReads host_reads() { return {}; }
  virtual void finish_host_reads() {} // waits until all are done
  // Returns when the bytes have arrived.
  [[nodiscard]] virtual Status copy_from_device(Stream*, std::span<std::byte> target, Rect const& source) = 0;
  // not_ready: as for launch().
  [[nodiscard]] virtual Status copy_device(Stream*, Rect const& target, Address source,
                                           std::uint64_t source_pitch) = 0;
  // target.row_bytes is in bytes; value's low element_bytes (1, 2 or 4) are repeated. Address, row and pitch
  // are whole elements; the caller has checked this. not_ready: as for launch().
  [[nodiscard]] virtual Status fill(Stream*, Rect const& target, std::uint32_t value,
                                    std::uint32_t element_bytes) = 0;

  // not_ready: the time slice was over before all blocks were submitted to the device. The next call must
  // then be resume(), until it returns another status.
  [[nodiscard]] virtual Status launch(Stream*, Function&, Launch const&, TimeSlice const&) = 0;
  [[nodiscard]] virtual Status resume(TimeSlice const&) = 0;
  // What has to be done before resume() can go on, needs no device and may take seconds: compiling. The caller gives
  // the device back meanwhile, when the task has no work on it.
  [[nodiscard]] virtual bool has_host_work() const { return false; }
  virtual void do_host_work() {}

  // A device without thread block clusters and tensor maps need not override these.
  [[nodiscard]] virtual Status cluster_occupancy(Function&, Launch const&, ClusterQuestion, int&) {
    return Status::not_supported;
  }
  [[nodiscard]] virtual Status encode_tensor_map(TensorMap const&, TensorMap::Descriptor&) {
    return Status::not_supported;
  }

  // An array is a range of addresses that copies can use, laid out as frontend/protocol/array_layout.h says; what else
  // uses it has no promised result. Textures and surfaces are the device's own handles, which kernels get as parameters;
  // what they are made of may end before they do. A device without them need not override these.
  [[nodiscard]] virtual Status create_array(ArrayShape const&, Address& /*base*/) {
    return Status::not_supported;
  }
  [[nodiscard]] virtual Status destroy_array(Address /*base*/) { return Status::not_supported; }
  [[nodiscard]] virtual Status create_texture(TextureSource const&, Sampling const&,
                                              std::uint64_t& /*texture*/) {
    return Status::not_supported;
  }
  [[nodiscard]] virtual Status destroy_texture(std::uint64_t /*texture*/) { return Status::not_supported; }
  // `level`: the address of an array's level.
  [[nodiscard]] virtual Status create_surface(Address /*level*/, std::uint64_t& /*surface*/) {
    return Status::not_supported;
  }
  [[nodiscard]] virtual Status destroy_surface(std::uint64_t /*surface*/) { return Status::not_supported; }

  [[nodiscard]] virtual Status stream_query(Stream*) = 0; // success or not_ready
  [[nodiscard]] virtual Status stream_synchronize(Stream*) = 0;
  [[nodiscard]] virtual Status stream_wait(Stream*, Event&) = 0;
  [[nodiscard]] virtual Status event_record(Event&, Stream*) = 0;
  [[nodiscard]] virtual Status event_query(Event&) = 0;
  [[nodiscard]] virtual Status event_synchronize(Event&) = 0;
  [[nodiscard]] virtual Status event_elapsed(Event& start, Event& end, float& milliseconds) = 0;
  [[nodiscard]] virtual Status synchronize() = 0;

  // limit is a CUlimit; `value` returns the value in force.
  [[nodiscard]] virtual Status set_limit(std::uint32_t limit, std::uint64_t& value) = 0;

  // Pending output, oldest first, at most `bytes` of one kind; empty text: no output is pending.
  [[nodiscard]] virtual Output take_output(std::size_t bytes) = 0;
  [[nodiscard]] virtual bool output_pending() const = 0;

  // Returns true if no submitted work is still on the device. Call it until it returns true, after the last
  // work was submitted.
  [[nodiscard]] virtual bool idle() = 0;
  // Device-busy time of this context so far: kernels, fills and device copies, by the device's clock.
  [[nodiscard]] virtual Nanos device_busy() const = 0;
  // Device memory that this context uses, including its overhead.
  [[nodiscard]] virtual std::uint64_t memory_used() const = 0;
};

} // namespace pegasus::device
