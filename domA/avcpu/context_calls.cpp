// SPDX-License-Identifier: Apache-2.0
#include "domA/avcpu/context_calls.h"

#include <algorithm>
#include <cstring>

namespace pegasus::avcpu {

Status ContextCalls::on(pegasus_ping_request const& request, Data const&, pegasus_ping_reply& reply) {
  reply.value = request.value;
  return Status::success;
}

Status ContextCalls::on(pegasus_output_read_request const&, Data const& data,
                        pegasus_output_read_reply& reply) {
  device::Output const output = objects_.context().take_output(data.arena.size());
  std::size_t const bytes = std::min(output.text.size(), data.arena.size());
  std::memcpy(data.arena.data(), output.text.data(), bytes);
  reply = {static_cast<std::uint32_t>(output.kind), static_cast<std::uint32_t>(bytes)};
  return Status::success;
}

// Its own failure is reported in place of the failures of posted calls.
Status ContextCalls::on(pegasus_context_synchronize_request const&, Data const&,
                        pegasus_context_synchronize_reply&) {
  Status const status = objects_.context().synchronize();
  if (status != Status::success) (void)objects_.take_failure();
  return status;
}

Status ContextCalls::on(pegasus_context_reset_request const&, Data const&, pegasus_context_reset_reply&) {
  objects_.reset();
  return Status::success;
}

Status ContextCalls::on(pegasus_context_set_limit_request const& request, Data const&,
                        pegasus_context_set_limit_reply& reply) {
  reply.value = request.value;
  return objects_.context().set_limit(request.limit, reply.value);
}

} // namespace pegasus::avcpu
