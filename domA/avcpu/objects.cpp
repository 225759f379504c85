// SPDX-License-Identifier: Apache-2.0
#include "domA/avcpu/objects.h"

namespace pegasus::avcpu {

void Objects::clear() {
#define PEGASUS_KIND(NAME, Object, Stored, zero_is_default) table<Object>().clear();
  PEGASUS_HANDLE_KINDS(PEGASUS_KIND)
#undef PEGASUS_KIND
}

Holdings Objects::holdings() const {
  return {.memory_bytes = context_->memory_used(),
          .modules = count<device::Module>(),
          .functions = count<device::Function>(),
          .streams = count<device::Stream>(),
          .events = count<device::Event>(),
          .graphs = count<Graph>(),
          .graph_bytes = 0};
}

void Objects::reset() {
  clear();
  context_.reset(); // first: two contexts at a time need not fit
  context_ = make_context_(factory_argument_);
  deferred_ = Status::success;
  for (auto const& then : on_reset_)
    then();
}

} // namespace pegasus::avcpu
