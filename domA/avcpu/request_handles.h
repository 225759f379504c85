// SPDX-License-Identifier: Apache-2.0
// The handles in a request, by kind, as listed in the last column of PEGASUS_CALLS
// (frontend/protocol/calls.h).
#pragma once

#include "domA/avcpu/graph.h"
#include "domA/device/device.h"
#include "frontend/protocol/calls.h"

#include <cstdint>
#include <tuple>

namespace pegasus::avcpu {

template <class T> struct Handle { // of a T
  std::uint64_t value;
};

// handles_of(request): a tuple of Handle<...>, in the order of the column.
#define STREAM(field) Handle<device::Stream>{request.field},
#define EVENT(field) Handle<device::Event>{request.field},
#define MODULE(field) Handle<device::Module>{request.field},
#define FUNCTION(field) Handle<device::Function>{request.field},
#define GRAPH(field) Handle<Graph>{request.field},
#define NO_HANDLE
#define PEGASUS_HANDLES(number, NAME, stem, kind, status, handles)                                           \
  inline auto handles_of([[maybe_unused]] pegasus_##stem##_request const& request) {                         \
    return std::tuple{handles};                                                                              \
  }
PEGASUS_CALLS(PEGASUS_HANDLES)
#undef PEGASUS_HANDLES
#undef NO_HANDLE
#undef GRAPH
#undef FUNCTION
#undef MODULE
#undef EVENT
#undef STREAM

} // namespace pegasus::avcpu
