// SPDX-License-Identifier: Apache-2.0
// The kinds of handles. All that is needed for one follows from its row: the table, the look-up, the type that
// a handler gets.
#pragma once

#include "domA/avcpu/graph.h"
#include "domA/device/device.h"

#include <cstdint>
#include <memory>

namespace pegasus::avcpu {

struct LoadedFunction {
  device::Function* function;
  std::uint64_t module;
};

// Kind, as HANDLE(kind, field) of a list of calls names it; what a handler gets a pointer to; what is stored;
// whether 0 names the default one, a nullptr. In the order in which they are destroyed.
#define PEGASUS_HANDLE_KINDS(KIND)                                                                           \
  KIND(GRAPH, Graph, Graph, false)                                                                           \
  KIND(FUNCTION, device::Function, LoadedFunction, false)                                                    \
  KIND(MODULE, device::Module, std::unique_ptr<device::Module>, false)                                       \
  KIND(EVENT, device::Event, std::unique_ptr<device::Event>, false)                                          \
  KIND(PHYSICAL, device::PhysicalMemory, std::unique_ptr<device::PhysicalMemory>, false)                     \
  KIND(STREAM, device::Stream, std::unique_ptr<device::Stream>, true)

// kind::STREAM is device::Stream.
namespace kind {
#define PEGASUS_KIND(NAME, Object, Stored, zero_is_default) using NAME = Object;
PEGASUS_HANDLE_KINDS(PEGASUS_KIND)
#undef PEGASUS_KIND
} // namespace kind

template <class Object> struct KindOf;
#define PEGASUS_KIND(NAME, Object, Stored_, zero_is_default_)                                                \
  template <> struct KindOf<Object> {                                                                        \
    using Stored = Stored_;                                                                                  \
    static constexpr bool zero_is_default = zero_is_default_;                                                \
  };
PEGASUS_HANDLE_KINDS(PEGASUS_KIND)
#undef PEGASUS_KIND

template <class Object> struct Handle { std::uint64_t value; };

} // namespace pegasus::avcpu
