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

Status CallHandler::on(pegasus_stream_destroy_request const& request, Data const&) {
  return streams_.erase(request.stream) ? Status::success : Status::invalid_handle;
}

Status CallHandler::on(pegasus_stream_query_request const& request, Data const&,
                       pegasus_stream_query_reply&) {
  device::Stream* stream = nullptr;
  Status status = stream_of(request.stream, stream);
  if (status == Status::success) status = context_->stream_query(stream);
  return status == Status::success ? status_of_posted_calls() : status;
}

Status CallHandler::on(pegasus_stream_synchronize_request const& request, Data const&,
                       pegasus_stream_synchronize_reply&) {
  device::Stream* stream = nullptr;
  Status status = stream_of(request.stream, stream);
  if (status == Status::success) status = context_->stream_synchronize(stream);
  return status == Status::success ? status_of_posted_calls() : status;
}

Status CallHandler::on(pegasus_stream_wait_event_request const& request, Data const&) {
  device::Stream* stream = nullptr;
  device::Event* event = nullptr;
  Status status = stream_of(request.stream, stream);
  if (status == Status::success) status = event_of(request.event, event);
  return status == Status::success ? context_->stream_wait(stream, *event) : status;
}

Status CallHandler::on(pegasus_event_create_request const& request, Data const&,
                       pegasus_event_create_reply& reply) {
  std::unique_ptr<device::Event> event;
  if (Status const status = context_->create_event(request.flags, event); status != Status::success)
    return status;
  reply.event = events_.insert(std::move(event));
  return reply.event != 0 ? Status::success : Status::out_of_memory;
}

Status CallHandler::on(pegasus_event_destroy_request const& request, Data const&) {
  return events_.erase(request.event) ? Status::success : Status::invalid_handle;
}

Status CallHandler::on(pegasus_event_record_request const& request, Data const&) {
  device::Stream* stream = nullptr;
  device::Event* event = nullptr;
  Status status = stream_of(request.stream, stream);
  if (status == Status::success) status = event_of(request.event, event);
  return status == Status::success ? context_->event_record(*event, stream) : status;
}

Status CallHandler::on(pegasus_event_query_request const& request, Data const&, pegasus_event_query_reply&) {
  device::Event* event = nullptr;
  Status status = event_of(request.event, event);
  if (status == Status::success) status = context_->event_query(*event);
  return status == Status::success ? status_of_posted_calls() : status;
}

Status CallHandler::on(pegasus_event_synchronize_request const& request, Data const&,
                       pegasus_event_synchronize_reply&) {
  device::Event* event = nullptr;
  Status status = event_of(request.event, event);
  if (status == Status::success) status = context_->event_synchronize(*event);
  return status == Status::success ? status_of_posted_calls() : status;
}

Status CallHandler::on(pegasus_event_elapsed_request const& request, Data const&,
                       pegasus_event_elapsed_reply& reply) {
  device::Event* start = nullptr;
  device::Event* end = nullptr;
  Status status = event_of(request.start, start);
  if (status == Status::success) status = event_of(request.end, end);
  return status == Status::success ? context_->event_elapsed(*start, *end, reply.milliseconds) : status;
}

} // namespace pegasus::avcpu
