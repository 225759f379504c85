// SPDX-License-Identifier: Apache-2.0
// For tests: a device with thread block clusters and tensor maps that records what it is asked for, and a guest
// that sends it requests.
#pragma once

#include "domA/avcpu/call_handler.h"
#include "tests/support/null_device.h"
#include "tests/support/time_slices.h"

#include <cstring>
#include <functional>
#include <optional>
#include <vector>

namespace pegasus::avcpu::testing {

class FeatureContext final : public pegasus::testing::NullContext {
public:
  std::vector<device::Launch> launches;
  std::vector<device::Stream*> streams;
  std::optional<device::ClusterQuestion> question;
  std::optional<device::TensorMap> map;
  Status answer = Status::success;
  std::function<void()> meanwhile = [] {}; // the guest, while the device works

  Status create_stream(std::uint32_t, std::int32_t, std::unique_ptr<device::Stream>& stream) override {
    stream = std::make_unique<device::Stream>();
    return Status::success;
  }
  Status launch(device::Stream* stream, device::Function&, device::Launch const& launch,
                device::TimeSlice const&) override {
    launches.push_back(launch);
    streams.push_back(stream);
    return answer;
  }
  Status cluster_occupancy(device::Function&, device::Launch const& launch, device::ClusterQuestion asked,
                           int& value) override {
    launches.push_back(launch);
    question = asked;
    value = 16;
    return answer;
  }
  Status encode_tensor_map(device::TensorMap const& asked, device::TensorMap::Descriptor& made) override {
    meanwhile();
    map = asked;
    made.fill(std::byte{0x7e});
    return answer;
  }
};

struct FeatureGuest {
  FeatureContext* context = nullptr;
  CallHandler handler{[](void* guest) -> std::unique_ptr<device::Context> {
                        auto made = std::make_unique<FeatureContext>();
                        static_cast<FeatureGuest*>(guest)->context = made.get();
                        return made;
                      },
                      this};
  std::vector<std::byte> arena = std::vector<std::byte>(4096);

  template <class Request>
  CallResult execute(std::uint16_t call, Request const& request, std::size_t data_bytes = 0) {
    pegasus_request sent{};
    sent.call = call;
    sent.data_bytes = static_cast<std::uint32_t>(data_bytes);
    std::memcpy(sent.body, &request, sizeof request);
    CallResult answer =
        handler.execute(sent, std::span(arena).first(data_bytes), pegasus::testing::EndlessSlice());
    while (answer.unfinished)
      answer = handler.resume(pegasus::testing::EndlessSlice());
    return answer;
  }
  template <class Reply> static Reply body(CallResult const& result) {
    Reply reply;
    std::memcpy(&reply, result.body, sizeof reply);
    return reply;
  }
  Status synchronize() {
    return execute(PEGASUS_CALL_CONTEXT_SYNCHRONIZE, pegasus_context_synchronize_request{}).status;
  }
  std::uint64_t function() {
    (void)execute(PEGASUS_CALL_MODULE_BEGIN, pegasus_module_begin_request{4, 1, 0});
    (void)execute(PEGASUS_CALL_MODULE_DATA, pegasus_module_data_request{0}, 4);
    auto const module =
        body<pegasus_module_load_reply>(execute(PEGASUS_CALL_MODULE_LOAD, pegasus_module_load_request{}));
    arena[0] = std::byte{'k'};
    return body<pegasus_module_function_reply>(execute(PEGASUS_CALL_MODULE_FUNCTION,
                                                       pegasus_module_function_request{module.module, 1, 0},
                                                       4096))
        .function;
  }
};

} // namespace pegasus::avcpu::testing
