// SPDX-License-Identifier: Apache-2.0
// Streams and events.
#include "domA/avcpu/call_handler.h"

namespace pegasus::avcpu {

Status CallHandler::on(pegasus_stream_create_request const& request, Data const&,
                       pegasus_stream_create_reply& reply) {
  std::unique_ptr<device::Stream> stream;
  if (Status const status = context_->create_stream(request.flags, request.priority, stream);
      status != Status::success)
    return status;
  reply.stream = streams_.insert(std::move(stream));
  return reply.stream != 0 ? Status::success : Status::out_of_memory;
}

// The default stream exists as long as the context.
Status CallHandler::on(pegasus_stream_destroy_request const& request, Data const&, device::Stream*) {
  return streams_.erase(request.stream) ? Status::success : Status::invalid_handle;
}

Status CallHandler::on(pegasus_stream_query_request const&, Data const&, device::Stream* stream,
                       pegasus_stream_query_reply&) {
  return context_->stream_query(stream);
}

Status CallHandler::on(pegasus_stream_synchronize_request const&, Data const&, device::Stream* stream,
                       pegasus_stream_synchronize_reply&) {
  return context_->stream_synchronize(stream);
}

Status CallHandler::on(pegasus_stream_wait_event_request const&, Data const&, device::Stream* stream,
                       device::Event* event) {
  return context_->stream_wait(stream, *event);
}

Status CallHandler::on(pegasus_event_create_request const& request, Data const&,
                       pegasus_event_create_reply& reply) {
  std::unique_ptr<device::Event> event;
  if (Status const status = context_->create_event(request.flags, event); status != Status::success)
    return status;
  reply.event = events_.insert(std::move(event));
  return reply.event != 0 ? Status::success : Status::out_of_memory;
}

Status CallHandler::on(pegasus_event_destroy_request const& request, Data const&, device::Event*) {
  events_.erase(request.event);
  return Status::success;
}

Status CallHandler::on(pegasus_event_record_request const&, Data const&, device::Event* event,
                       device::Stream* stream) {
  return context_->event_record(*event, stream);
}

Status CallHandler::on(pegasus_event_query_request const&, Data const&, device::Event* event,
                       pegasus_event_query_reply&) {
  return context_->event_query(*event);
}

Status CallHandler::on(pegasus_event_synchronize_request const&, Data const&, device::Event* event,
                       pegasus_event_synchronize_reply&) {
  return context_->event_synchronize(*event);
}

Status CallHandler::on(pegasus_event_elapsed_request const&, Data const&, device::Event* start,
                       device::Event* end, pegasus_event_elapsed_reply& reply) {
  return context_->event_elapsed(*start, *end, reply.milliseconds);
}

} // namespace pegasus::avcpu
