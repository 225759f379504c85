// SPDX-License-Identifier: Apache-2.0
// From a request struct to its number, kind and reply struct, generated from a service's list of calls: here
// CUDA's. For another service's, use its list with PEGASUS_TRAITS in this namespace.
#pragma once

#include "frontend/protocol/calls.h"
#include "frontend/protocol/channel.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace pegasus::frontend {

template <class Request> struct CallTraits;

#define PEGASUS_TRAITS_SYNC(number, stem)                                                                    \
  template <> struct CallTraits<pegasus_##stem##_request> {                                                  \
    static constexpr std::uint16_t call = number;                                                            \
    static constexpr bool sync = true;                                                                       \
    using Reply = pegasus_##stem##_reply;                                                                    \
    static_assert(sizeof(pegasus_##stem##_request) <= PEGASUS_REQUEST_BODY);                                 \
    static_assert(sizeof(pegasus_##stem##_reply) <= PEGASUS_REPLY_BODY);                                     \
  };
#define PEGASUS_TRAITS_POSTED(number, stem)                                                                  \
  template <> struct CallTraits<pegasus_##stem##_request> {                                                  \
    static constexpr std::uint16_t call = number;                                                            \
    static constexpr bool sync = false;                                                                      \
    static_assert(sizeof(pegasus_##stem##_request) <= PEGASUS_REQUEST_BODY);                                 \
  };
#define PEGASUS_TRAITS(number, NAME, stem, kind, ...) PEGASUS_TRAITS_##kind(number, stem)
PEGASUS_CALLS(PEGASUS_TRAITS)

template <class Request> inline constexpr std::uint16_t number_of = CallTraits<Request>::call;
template <class Request> inline constexpr bool is_sync = CallTraits<Request>::sync;
template <class Request> using ReplyOf = typename CallTraits<Request>::Reply;

template <class T> std::span<std::byte const> as_bytes_of(T const& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  return {reinterpret_cast<std::byte const*>(&value), sizeof value};
}
template <class T> std::span<std::byte> writable_bytes_of(T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  return {reinterpret_cast<std::byte*>(&value), sizeof value};
}

} // namespace pegasus::frontend
