// SPDX-License-Identifier: Apache-2.0
// Service 0: the CUDA driver API, PEGASUS_CALLS of frontend/protocol/calls.h. The handlers are in a class for each topic.
#pragma once

#include "domA/avcpu/context_calls.h"
#include "domA/avcpu/graph_calls.h"
#include "domA/avcpu/launch_calls.h"
#include "domA/avcpu/mapping_calls.h"
#include "domA/avcpu/memory_calls.h"
#include "domA/avcpu/module_calls.h"
#include "domA/avcpu/service.h"
#include "domA/avcpu/stream_calls.h"
#include "domA/avcpu/tensor_calls.h"
#include "domA/avcpu/texture_calls.h"
#include "frontend/protocol/calls.h"

namespace pegasus::avcpu {

#define PEGASUS_SERVICE_CALLS PEGASUS_CALLS
#include "domA/avcpu/request_handles.inc"

class CudaService final : public Service<CudaService>,
                          private ContextCalls,
                          private GraphCalls,
                          private LaunchCalls,
                          private MappingCalls,
                          private MemoryCalls,
                          private ModuleCalls,
                          private StreamCalls,
                          private TensorCalls,
                          private TextureCalls {
public:
  static constexpr unsigned number = 0;
  explicit CudaService(Objects& objects);

  [[nodiscard]] static constexpr HostWork host_work(std::uint16_t call) {
    switch (call) {
    case PEGASUS_CALL_MODULE_BEGIN:
    case PEGASUS_CALL_MODULE_DATA:
      return HostWork::brief;
    case PEGASUS_CALL_MODULE_FUNCTION:
      return HostWork::makes_code;
    case PEGASUS_CALL_MODULE_LOAD:
    case PEGASUS_CALL_CONTEXT_RESET:
      return HostWork::takes_long;
    default:
      return HostWork::none;
    }
  }
  [[nodiscard]] CallResult execute(pegasus_request const& request, Data const& data);
  [[nodiscard]] CallResult resume(device::TimeSlice const& slice);
  [[nodiscard]] std::optional<CallResult> finish_earlier_work(pegasus_request const& request);
  void add_to(Holdings& holdings) const { holdings.graph_bytes += GraphCalls::bytes(); }
  void abandon();

  using ContextCalls::on;
  using GraphCalls::on;
  using LaunchCalls::on;
  using MappingCalls::on;
  using MemoryCalls::on;
  using ModuleCalls::on;
  using StreamCalls::on;
  using TensorCalls::on;
  using TextureCalls::on;

private:
  Objects& objects_;
};

} // namespace pegasus::avcpu
