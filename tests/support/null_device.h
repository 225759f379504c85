// SPDX-License-Identifier: Apache-2.0
// A device context whose calls cost nothing and whose memory is one host buffer: what remains is the cost of
// the call path.
#pragma once

#include "domA/device/device.h"

#include <cstring>

namespace pegasus::testing {

using device::Address;
using device::Rect;
using device::Status;

class NullFunction final : public device::Function {
public:
  NullFunction() {
    info_.parameters = {{0, 8}, {8, 8}, {16, 8}, {24, 4}};
    info_.parameter_bytes = 28;
  }
  device::FunctionInfo const& info() const override { return info_; }
  Status set_attribute(std::int32_t, std::int32_t) override { return Status::success; }

private:
  device::FunctionInfo info_;
};

class NullModule final : public device::Module {
public:
  device::Function* function(std::string_view) override { return &function_; }
  device::Range global(std::string_view) override { return {}; }

private:
  NullFunction function_;
};

class NullContext : public device::Context {
public:
  static constexpr std::size_t memory_bytes = 64u << 20;

  Status load_module(std::span<std::byte const>, std::uint32_t, std::unique_ptr<device::Module>& module,
                     std::string&) override {
    module = std::make_unique<NullModule>();
    return Status::success;
  }
  Status create_stream(std::uint32_t, std::int32_t, std::unique_ptr<device::Stream>&) override {
    return Status::success;
  }
  Status create_event(std::uint32_t, std::unique_ptr<device::Event>& event) override {
    event = std::make_unique<device::Event>();
    return Status::success;
  }
  Status allocate(std::uint64_t, Address& address) override {
    address = 0;
    return Status::success;
  }
  Status free(Address) override { return Status::success; }
  Status memory_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) override {
    free_bytes = total_bytes = memory_bytes;
    return Status::success;
  }
  Status memory_range(Address, device::Range&) override { return Status::success; }
  Status copy_to_device(device::Stream*, Rect const& target, std::span<std::byte const> source) override {
    std::memcpy(memory_.data() + target.address, source.data(), source.size());
    return Status::success;
  }
  Status copy_from_device(device::Stream*, std::span<std::byte> target, Rect const& source) override {
    std::memcpy(target.data(), memory_.data() + source.address, target.size());
    return Status::success;
  }
  Status copy_device(device::Stream*, Rect const&, Address, std::uint64_t) override {
    return Status::success;
  }
  Status fill(device::Stream*, Rect const&, std::uint32_t, std::uint32_t) override { return Status::success; }
  Status launch(device::Stream*, device::Function&, device::Launch const&,
                device::TimeSlice const&) override {
    return Status::success;
  }
  Status resume(device::TimeSlice const&) override { return Status::success; }
  Status stream_query(device::Stream*) override { return Status::success; }
  Status stream_synchronize(device::Stream*) override { return Status::success; }
  Status stream_wait(device::Stream*, device::Event&) override { return Status::success; }
  Status event_record(device::Event&, device::Stream*) override { return Status::success; }
  Status event_query(device::Event&) override { return Status::success; }
  Status event_synchronize(device::Event&) override { return Status::success; }
  Status event_elapsed(device::Event&, device::Event&, float&) override { return Status::success; }
  Status synchronize() override { return Status::success; }
  Status set_limit(std::uint32_t, std::uint64_t&) override { return Status::success; }
  device::Output take_output(std::size_t) override { return {device::Output::Kind::printf_text, {}}; }
  bool output_pending() const override { return false; }
  bool idle() override { return true; }
  device::Nanos device_busy() const override { return {}; }
  std::uint64_t memory_used() const override { return 0; }

private:
  std::vector<std::byte> memory_ = std::vector<std::byte>(memory_bytes);
};

} // namespace pegasus::testing
