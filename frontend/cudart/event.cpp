// SPDX-License-Identifier: Apache-2.0
// CUDA Runtime API, "Event Management". cudaEvent_t is CUevent, and the flags have the same numbers.
#include "frontend/cudart/context.h"

using namespace pegasus::cudart;

namespace {

cudaError_t create(cudaEvent_t* event, unsigned flags) {
  if (event == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) { return driver.cuEventCreate(event, flags); });
}

} // namespace

PEGASUS_API cudaError_t cudaEventCreate(cudaEvent_t* event) { return create(event, cudaEventDefault); }
PEGASUS_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return create(event, flags);
}

PEGASUS_API cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (event == nullptr) return finish(cudaErrorInvalidResourceHandle);
  return with_context([&](Driver const& driver) { return driver.cuEventDestroy_v2(event); });
}

PEGASUS_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (event == nullptr) return finish(cudaErrorInvalidResourceHandle);
  return with_context([&](Driver const& driver) { return driver.cuEventRecord(event, stream); });
}
PEGASUS_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  if (event == nullptr) return finish(cudaErrorInvalidResourceHandle);
  return with_context(
      [&](Driver const& driver) { return driver.cuEventRecordWithFlags(event, stream, flags); });
}

PEGASUS_API cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (event == nullptr) return finish(cudaErrorInvalidResourceHandle);
  return with_context([&](Driver const& driver) { return driver.cuEventQuery(event); });
}

PEGASUS_API cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (event == nullptr) return finish(cudaErrorInvalidResourceHandle);
  return with_context([&](Driver const& driver) { return driver.cuEventSynchronize(event); });
}

PEGASUS_API cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (milliseconds == nullptr) return finish(cudaErrorInvalidValue);
  if (start == nullptr || end == nullptr) return finish(cudaErrorInvalidResourceHandle);
  return with_context(
      [&](Driver const& driver) { return driver.cuEventElapsedTime_v2(milliseconds, start, end); });
}
