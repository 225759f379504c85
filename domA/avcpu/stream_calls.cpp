// SPDX-License-Identifier: Apache-2.0
#include "domA/avcpu/stream_calls.h"

namespace pegasus::avcpu {

Status StreamCalls::on(pegasus_stream_create_request const& request, Data const&,
                       pegasus_stream_create_reply& reply) {
  std::unique_ptr<device::Stream> stream;
  if (Status const status = objects_.context().create_stream(request.flags, request.priority, stream);
      status != Status::success)
    return status;
  reply.stream = objects_.insert<device::Stream>(std::move(stream));
  return reply.stream != 0 ? Status::success : Status::out_of_memory;
}

// The default stream exists as long as the context.
Status StreamCalls::on(pegasus_stream_destroy_request const& request, Data const&, device::Stream*) {
  return objects_.table<device::Stream>().erase(request.stream) ? Status::success : Status::invalid_handle;
}

Status StreamCalls::on(pegasus_stream_query_request const&, Data const&, device::Stream* stream,
                       pegasus_stream_query_reply&) {
  return objects_.context().stream_query(stream);
}

Status StreamCalls::on(pegasus_stream_synchronize_request const&, Data const&, device::Stream* stream,
                       pegasus_stream_synchronize_reply&) {
  return objects_.context().stream_synchronize(stream);
}

Status StreamCalls::on(pegasus_stream_wait_event_request const&, Data const&, device::Stream* stream,
                       device::Event* event) {
  return objects_.context().stream_wait(stream, *event);
}

Status StreamCalls::on(pegasus_event_create_request const& request, Data const&,
                       pegasus_event_create_reply& reply) {
  std::unique_ptr<device::Event> event;
  if (Status const status = objects_.context().create_event(request.flags, event); status != Status::success)
    return status;
  reply.event = objects_.insert<device::Event>(std::move(event));
  return reply.event != 0 ? Status::success : Status::out_of_memory;
}

Status StreamCalls::on(pegasus_event_destroy_request const& request, Data const&, device::Event*) {
  objects_.table<device::Event>().erase(request.event);
  return Status::success;
}

Status StreamCalls::on(pegasus_event_record_request const&, Data const&, device::Event* event,
                       device::Stream* stream) {
  return objects_.context().event_record(*event, stream);
}

Status StreamCalls::on(pegasus_event_query_request const&, Data const&, device::Event* event,
                       pegasus_event_query_reply&) {
  return objects_.context().event_query(*event);
}

Status StreamCalls::on(pegasus_event_synchronize_request const&, Data const&, device::Event* event,
                       pegasus_event_synchronize_reply&) {
  return objects_.context().event_synchronize(*event);
}

Status StreamCalls::on(pegasus_event_elapsed_request const&, Data const&, device::Event* start,
                       device::Event* end, pegasus_event_elapsed_reply& reply) {
  return objects_.context().event_elapsed(*start, *end, reply.milliseconds);
}

} // namespace pegasus::avcpu
