// SPDX-License-Identifier: Apache-2.0
#include "domA/avcpu/cuda_service.h"

#include <cstring>

namespace pegasus::avcpu {

CudaService::CudaService(Objects& objects)
    : Service(objects), ContextCalls(objects), GraphCalls(objects, *this), LaunchCalls(objects),
      MappingCalls(objects), MemoryCalls(objects), ModuleCalls(objects), StreamCalls(objects),
      TensorCalls(objects), TextureCalls(objects), objects_(objects) {}

CallResult CudaService::execute(pegasus_request const& request, Data const& data) {
  switch (request.call) {
    PEGASUS_CALLS(PEGASUS_EXECUTE)
  default:
    return unknown_call();
  }
}

CallResult CudaService::resume(device::TimeSlice const& slice) {
  if (!launches_graph()) return Service::resume(slice);
  return posted(guarded([&] { return resume_graph(slice); }));
}

void CudaService::abandon() {
  GraphCalls::abandon();
  LaunchCalls::abandon();
  ModuleCalls::abandon();
}

std::optional<CallResult> CudaService::finish_earlier_work(pegasus_request const& request) {
  if (request.call != PEGASUS_CALL_COPY_FROM_DEVICE || objects_.has_failure()) return std::nullopt;
  pegasus_copy_from_device_request copy;
  std::memcpy(&copy, request.body, sizeof copy);
  auto const stream = objects_.find(Handle<device::Stream>{copy.stream});
  if (!stream) return std::nullopt;
  Status const status = objects_.context().stream_synchronize(*stream);
  if (status == Status::success) return std::nullopt;
  return CallResult{.expected = true, .status = status, .flags = reply_flags()};
}

} // namespace pegasus::avcpu
