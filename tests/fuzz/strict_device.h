// SPDX-License-Identifier: Apache-2.0
// A device context that enforces the contract of device.h. The program ends on a handle that the context did
// not make, an object that outlives it, host bytes that do not match a copy's rows, a span that cannot be
// read, or a call between a launch's interruption and its end. What the contract leaves to the device
// (addresses, sizes) is checked and refused as by a real one.
//
// On every call it also acts as a hostile guest: between the worker's checks and the device's work it may
// change the shared bytes.
#pragma once

#include "domA/device/device.h"
#include "tests/fuzz/require.h"

#include <cstdlib>
#include <cstring>
#include <functional>
#include <set>
#include <string>

namespace pegasus::fuzz {

using device::Address;
using device::Rect;
using device::Status;

// Reads every byte, so that the address sanitizer checks each.
inline std::uint32_t read_all(std::span<std::byte const> bytes) {
  std::uint32_t sum = 0;
  for (std::byte const byte : bytes)
    sum = sum * 31 + std::to_integer<std::uint32_t>(byte);
  return sum;
}

// Objects that belong to a context.
using Objects = std::set<void const*>;
template <class Base> class Owned final : public Base {
public:
  explicit Owned(Objects& objects) : objects_(objects) { objects_.insert(this); }
  Owned(Owned const&) = delete;
  Owned& operator=(Owned const&) = delete;
  ~Owned() override { require(objects_.erase(this) == 1); }

private:
  Objects& objects_;
};

class StrictFunction final : public device::Function {
public:
  explicit StrictFunction(std::size_t parameters) {
    info_.parameters.resize(parameters, {0, 4});
    info_.parameter_bytes = static_cast<std::uint32_t>(4 * parameters);
  }
  device::FunctionInfo const& info() const override { return info_; }
  Status set_attribute(std::int32_t attribute, std::int32_t) override {
    return attribute == 8 ? Status::success : Status::not_supported;
  }

private:
  device::FunctionInfo info_;
};

// Has the kernels "a", with four parameters, and "b", with more than the protocol can describe.
class StrictModule final : public device::Module {
public:
  explicit StrictModule(Objects& functions) : functions_(functions) { functions_.insert({&few_, &many_}); }
  StrictModule(StrictModule const&) = delete;
  StrictModule& operator=(StrictModule const&) = delete;
  ~StrictModule() override {
    functions_.erase(&few_);
    functions_.erase(&many_);
  }
  device::Function* function(std::string_view name) override {
    return name == "a" ? &few_ : name == "b" ? &many_ : nullptr;
  }
  device::Range global(std::string_view name) override {
    return name == "g" ? device::Range{64, 16} : device::Range{};
  }

private:
  Objects& functions_;
  StrictFunction few_{4};
  StrictFunction many_{5000};
};

class StrictContext final : public device::Context {
public:
  static constexpr std::uint64_t memory_bytes = 8192;
  using Guest = std::function<void()>; // what the guest does while the device works

  explicit StrictContext(Guest guest) : guest_(std::move(guest)) {}
  StrictContext(StrictContext const&) = delete;
  StrictContext& operator=(StrictContext const&) = delete;
  ~StrictContext() override {
    require(streams_.empty() && events_.empty() && functions_.empty() && physical_.empty());
  }

  Status load_module(std::span<std::byte const> image, std::uint32_t, std::unique_ptr<device::Module>& module,
                     std::string& log) override {
    guest_();
    if (read_all(image) % 4 == 0) {
      log = "the image is not one of ours";
      return Status::invalid_image;
    }
    module = std::make_unique<StrictModule>(functions_);
    return Status::success;
  }
  Status create_stream(std::uint32_t, std::int32_t, std::unique_ptr<device::Stream>& stream) override {
    stream = std::make_unique<Owned<device::Stream>>(streams_);
    return Status::success;
  }
  Status create_event(std::uint32_t, std::unique_ptr<device::Event>& event) override {
    event = std::make_unique<Owned<device::Event>>(events_);
    return Status::success;
  }
  Status allocate(std::uint64_t bytes, Address& address) override {
    address = 0;
    return bytes <= memory_bytes ? Status::success : Status::out_of_memory;
  }
  Status free(Address) override { return Status::success; }
  Status memory_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) override {
    free_bytes = total_bytes = memory_bytes;
    return Status::success;
  }
  Status memory_range(Address, device::Range& range) override {
    range = {0, memory_bytes};
    return Status::success;
  }

  Status reserve_addresses(std::uint64_t bytes, std::uint64_t, Address, Address& base) override {
    require(!interrupted_);
    base = device::mapping_granule;
    return bytes <= 1 << 30 ? Status::success : Status::out_of_memory;
  }
  Status free_addresses(device::Range) override { return Status::success; }
  Status create_memory(std::uint64_t, std::unique_ptr<device::PhysicalMemory>& memory) override {
    memory = std::make_unique<Owned<device::PhysicalMemory>>(physical_);
    return Status::success;
  }
  Status map(device::Range, device::PhysicalMemory& memory) override {
    require(!interrupted_ && physical_.contains(&memory));
    return Status::success;
  }
  Status unmap(device::Range) override { return Status::success; }
  Status set_access(device::Range, bool) override { return Status::success; }

  Status copy_to_device(device::Stream* stream, Rect const& target,
                        std::span<std::byte const> source) override {
    check(stream);
    require(target.row_bytes * target.rows == source.size());
    guest_();
    (void)read_all(source);
    if (!inside(target)) return Status::illegal_address;
    for (std::uint64_t row = 0; row < target.rows; ++row)
      std::memcpy(memory_.data() + target.address + row * target.pitch,
                  source.data() + row * target.row_bytes, target.row_bytes);
    return Status::success;
  }
  Status copy_from_device(device::Stream* stream, std::span<std::byte> target, Rect const& source) override {
    check(stream);
    require(source.row_bytes * source.rows == target.size());
    guest_();
    std::fill(target.begin(), target.end(), std::byte{0x5a});
    return inside(source) ? Status::success : Status::illegal_address;
  }
  Status copy_device(device::Stream* stream, Rect const&, Address, std::uint64_t) override {
    check(stream);
    return Status::success;
  }
  Status fill(device::Stream* stream, Rect const& target, std::uint32_t,
              std::uint32_t element_bytes) override {
    check(stream);
    require(element_bytes == 1 || element_bytes == 2 || element_bytes == 4);
    require(target.address % element_bytes == 0 && target.row_bytes % element_bytes == 0);
    require(target.rows <= 1 || target.pitch % element_bytes == 0);
    return Status::success;
  }
  Status launch(device::Stream* stream, device::Function& function, device::Launch const& launch,
                device::TimeSlice const& slice) override {
    check(stream);
    require(functions_.contains(&function));
    check(launch.attributes);
    std::uint32_t const before = read_all(launch.parameters);
    guest_();
    require(before == read_all(launch.parameters)); // a private copy
    if (launch.grid[0] == 0) return Status::invalid_value;
    interrupted_ = slice.over();
    return interrupted_ ? Status::not_ready : Status::success;
  }
  Status cluster_occupancy(device::Function& function, device::Launch const& launch,
                           device::ClusterQuestion question, int& value) override {
    require(functions_.contains(&function));
    require(question == device::ClusterQuestion::active || question == device::ClusterQuestion::largest);
    guest_();
    check(launch.attributes);
    value = 1;
    return Status::success;
  }
  Status encode_tensor_map(device::TensorMap const& map, device::TensorMap::Descriptor& made) override {
    using Kind = device::TensorMap::Kind;
    require(map.kind >= Kind::tiled && map.kind <= Kind::other_address);
    require(map.kind == Kind::other_address || (map.rank >= 1 && map.rank <= 5));
    require(map.rank >= 3 || (map.kind != Kind::im2col && map.kind != Kind::im2col_wide));
    guest_();
    made.fill(std::byte{0x5a});
    return map.data_type < 16 ? Status::success : Status::invalid_value;
  }
  Status resume(device::TimeSlice const& slice) override {
    require(interrupted_);
    guest_();
    interrupted_ = slice.over();
    return interrupted_ ? Status::not_ready : Status::success;
  }

  Status stream_query(device::Stream* stream) override { return check(stream); }
  Status stream_synchronize(device::Stream* stream) override { return check(stream); }
  Status stream_wait(device::Stream* stream, device::Event& event) override {
    check(stream);
    return check(event);
  }
  Status event_record(device::Event& event, device::Stream* stream) override {
    check(stream);
    return check(event);
  }
  Status event_query(device::Event& event) override { return check(event); }
  Status event_synchronize(device::Event& event) override { return check(event); }
  Status event_elapsed(device::Event& start, device::Event& end, float& milliseconds) override {
    check(start);
    milliseconds = 1;
    return check(end);
  }
  Status synchronize() override { return Status::success; }
  Status set_limit(std::uint32_t limit, std::uint64_t& value) override {
    value = std::min<std::uint64_t>(value, 1 << 20);
    return limit < 8 ? Status::success : Status::not_supported;
  }
  device::Output take_output(std::size_t bytes) override {
    return {device::Output::Kind::printf_text, std::string("printed").substr(0, bytes)};
  }
  bool output_pending() const override { return true; }
  bool idle() override { return true; }
  device::Nanos device_busy() const override { return {}; }
  std::uint64_t memory_used() const override { return memory_bytes; }

private:
  Status check(device::Stream const* stream) const {
    require(!interrupted_);
    require(stream == nullptr || streams_.contains(stream));
    return Status::success;
  }
  Status check(device::Event const& event) const {
    require(!interrupted_);
    require(events_.contains(&event));
    return Status::success;
  }
  static void check(device::LaunchAttributes const& attributes) {
    require(attributes.cluster_scheduling.value_or(0) < 4 && attributes.memory_domain.value_or(0) < 2);
    require(attributes.carveout.value_or(0) >= -1 && attributes.carveout.value_or(0) <= 100);
  }
  [[nodiscard]] static bool inside(Rect const& rect) {
    std::uint64_t span = 0, end = 0;
    return rect.rows > 0 && !__builtin_mul_overflow(rect.rows - 1, rect.pitch, &span) &&
           !__builtin_add_overflow(span, rect.row_bytes, &end) &&
           !__builtin_add_overflow(end, rect.address, &end) && end <= memory_bytes;
  }

  Guest guest_;
  Objects streams_, events_, functions_, physical_;
  bool interrupted_ = false; // a launch must be resumed before any other call
  std::vector<std::byte> memory_ = std::vector<std::byte>(memory_bytes);
};

} // namespace pegasus::fuzz
