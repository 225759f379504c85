// SPDX-License-Identifier: Apache-2.0
// Streams and events.
#pragma once

#include "domA/avcpu/call.h"
#include "domA/avcpu/objects.h"
#include "frontend/protocol/calls.h"

namespace pegasus::avcpu {

class StreamCalls {
public:
  explicit StreamCalls(Objects& objects) : objects_(objects) {}
  Status on(pegasus_stream_create_request const& request, Data const&, pegasus_stream_create_reply& reply);
  Status on(pegasus_stream_destroy_request const& request, Data const&, device::Stream*);
  Status on(pegasus_stream_query_request const&, Data const&, device::Stream* stream,
            pegasus_stream_query_reply&);
  Status on(pegasus_stream_synchronize_request const&, Data const&, device::Stream* stream,
            pegasus_stream_synchronize_reply&);
  Status on(pegasus_stream_wait_event_request const&, Data const&, device::Stream* stream,
            device::Event* event);
  Status on(pegasus_event_create_request const& request, Data const&, pegasus_event_create_reply& reply);
  Status on(pegasus_event_destroy_request const& request, Data const&, device::Event*);
  Status on(pegasus_event_record_request const&, Data const&, device::Event* event, device::Stream* stream);
  Status on(pegasus_event_query_request const&, Data const&, device::Event* event,
            pegasus_event_query_reply&);
  Status on(pegasus_event_synchronize_request const&, Data const&, device::Event* event,
            pegasus_event_synchronize_reply&);
  Status on(pegasus_event_elapsed_request const&, Data const&, device::Event* start, device::Event* end,
            pegasus_event_elapsed_reply& reply);

private:
  Objects& objects_;
};

} // namespace pegasus::avcpu
