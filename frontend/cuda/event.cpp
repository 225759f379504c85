// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/event.h"

#include "frontend/cuda/graph/capture.h"
#include "frontend/cuda/stream.h"

#include <memory>

namespace pegasus::driver {
namespace {

constexpr unsigned event_flags = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;

CUresult record(CUevent handle, CUstream stream_handle, unsigned flags) {
  return with_stream(stream_handle, [&](Channel& channel) {
    // CU_EVENT_RECORD_EXTERNAL has an effect in a stream capture only: there it makes a node.
    if ((flags & ~static_cast<unsigned>(CU_EVENT_RECORD_EXTERNAL)) != 0) return CUDA_ERROR_INVALID_VALUE;
    Event* const event = find<Event>(handle);
    if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    std::uint64_t remote = 0;
    Context* context = nullptr;
    bool captured = false;
    if (CUresult const status = resolve_stream(channel, stream_handle, remote, &context, &captured);
        status != CUDA_SUCCESS)
      return status;
    if (context != nullptr && context != event->context) return CUDA_ERROR_INVALID_HANDLE;
    if (captured && (flags & CU_EVENT_RECORD_EXTERNAL) != 0)
      return capture_work(stream_handle, RecordWork{handle});
    return captured ? capture_record(stream_handle, *event) : record(channel, *event, remote);
  });
}

// For operations that are allowed on an event recorded in a stream, but not on one recorded in a capture.
CUresult check_not_captured(Event const& event) {
  return event.capture.load(std::memory_order_relaxed) == 0 ? CUDA_SUCCESS : refuse_captured_event(event);
}

CUresult elapsed(float* milliseconds, CUevent start_handle, CUevent end_handle) {
  return with_device([&](Channel& channel) {
    if (milliseconds == nullptr) return CUDA_ERROR_INVALID_VALUE;
    Event const* const start = find<Event>(start_handle);
    Event const* const end = find<Event>(end_handle);
    for (Event const* const event : {start, end})
      if (event == nullptr || (event->flags & CU_EVENT_DISABLE_TIMING) != 0 || !event->recorded.load())
        return CUDA_ERROR_INVALID_HANDLE;
    for (Event const* const event : {start, end})
      if (CUresult const status = check_not_captured(*event); status != CUDA_SUCCESS) return status;
    auto const [status, reply] = ask(channel, pegasus_event_elapsed_request{start->remote, end->remote});
    if (status == CUDA_SUCCESS) *milliseconds = reply.milliseconds;
    return status;
  });
}

} // namespace

CUresult record(Channel& channel, Event& event, std::uint64_t stream) {
  CUresult const status = result(channel.post(pegasus_event_record_request{event.remote, stream}));
  if (status == CUDA_SUCCESS) event.recorded.store(true, std::memory_order_relaxed);
  if (event.capture.load(std::memory_order_relaxed) != 0) forget_capture(event);
  return status;
}

CUresult wait(Channel& channel, Event const& event, std::uint64_t stream) {
  if (!event.recorded.load(std::memory_order_relaxed))
    return CUDA_SUCCESS; // "acts as if the record has completed"
  return result(channel.post(pegasus_stream_wait_event_request{stream, event.remote, 0, 0}));
}

void destroy(Channel& channel, Event& event) {
  std::unique_ptr<Event> const mine(erase<Event>(event.handle));
  if (mine) (void)channel.post(pegasus_event_destroy_request{mine->remote});
}

} // namespace pegasus::driver

using namespace pegasus::driver;

CUresult cuEventCreate(CUevent* handle, unsigned flags) {
  return with_context([&](Channel& channel, Context& context) {
    if (handle == nullptr || (flags & ~event_flags) != 0) return CUDA_ERROR_INVALID_VALUE;
    if ((flags & CU_EVENT_INTERPROCESS) != 0)
      return (flags & CU_EVENT_DISABLE_TIMING) == 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_NOT_SUPPORTED;
    auto event = std::make_unique<Event>();
    auto const [status, reply] = ask(channel, pegasus_event_create_request{flags, 0});
    if (status != CUDA_SUCCESS) return status;
    event->context = &context;
    event->remote = reply.event;
    event->flags = flags;
    event->handle = insert<Event>(event.get());
    if (event->handle == nullptr) {
      (void)channel.post(pegasus_event_destroy_request{reply.event});
      return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *handle = event.release()->handle;
    return CUDA_SUCCESS;
  });
}

CUresult cuEventDestroy_v2(CUevent handle) {
  return with_device([&](Channel& channel) {
    Event* const event = find<Event>(handle);
    if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    destroy(channel, *event);
    return CUDA_SUCCESS;
  });
}
CUresult cuEventDestroy(CUevent handle) { return cuEventDestroy_v2(handle); }

CUresult cuEventRecord(CUevent event, CUstream stream) { return record(event, stream, 0); }
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
  return record(event, stream, flags);
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent handle, unsigned flags) {
  return with_stream(stream, [&](Channel& channel) {
    if ((flags & ~static_cast<unsigned>(CU_EVENT_WAIT_EXTERNAL)) != 0) return CUDA_ERROR_INVALID_VALUE;
    Event* const event = find<Event>(handle);
    if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    std::uint64_t remote = 0;
    bool captured = false;
    if (CUresult const status = resolve_stream(channel, stream, remote, nullptr, &captured);
        status != CUDA_SUCCESS)
      return status;
    if (captured && (flags & CU_EVENT_WAIT_EXTERNAL) != 0) return capture_work(stream, WaitWork{handle});
    if (captured || event->capture.load(std::memory_order_relaxed) != 0) return capture_wait(stream, *event);
    return wait(channel, *event, remote);
  });
}

CUresult cuEventQuery(CUevent handle) {
  return with_device([&](Channel& channel) {
    Event const* const event = find<Event>(handle);
    if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (CUresult const status = check_not_captured(*event); status != CUDA_SUCCESS) return status;
    if (!event->recorded.load()) return CUDA_SUCCESS;
    return ask(channel, pegasus_event_query_request{event->remote}).status;
  });
}

CUresult cuEventSynchronize(CUevent handle) {
  return with_device([&](Channel& channel) {
    Event const* const event = find<Event>(handle);
    if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (CUresult const status = check_not_captured(*event); status != CUDA_SUCCESS) return status;
    if (!event->recorded.load()) return CUDA_SUCCESS;
    return ask(channel, pegasus_event_synchronize_request{event->remote}).status;
  });
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  return elapsed(milliseconds, start, end);
}
CUresult cuEventElapsedTime_v2(float* milliseconds, CUevent start, CUevent end) {
  return elapsed(milliseconds, start, end);
}
