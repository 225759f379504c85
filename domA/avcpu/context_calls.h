// SPDX-License-Identifier: Apache-2.0
// The context, and the output of what runs in it.
#pragma once

#include "domA/avcpu/call.h"
#include "domA/avcpu/objects.h"
#include "frontend/protocol/calls.h"

namespace pegasus::avcpu {

class ContextCalls {
public:
  explicit ContextCalls(Objects& objects) : objects_(objects) {}
  Status on(pegasus_ping_request const& request, Data const&, pegasus_ping_reply& reply);
  Status on(pegasus_output_read_request const&, Data const& data, pegasus_output_read_reply& reply);
  Status on(pegasus_context_synchronize_request const&, Data const&, pegasus_context_synchronize_reply&);
  Status on(pegasus_context_reset_request const&, Data const&, pegasus_context_reset_reply&);
  Status on(pegasus_context_set_limit_request const& request, Data const&,
            pegasus_context_set_limit_reply& reply);

private:
  Objects& objects_;
};

} // namespace pegasus::avcpu
