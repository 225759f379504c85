// SPDX-License-Identifier: Apache-2.0
// Guests of protocol version 1 write a request's bytes and leave behind them what the slot's last request had
// there; later ones write zeros. Here those bytes become zeros, so that a call may have grown since.
#pragma once

#include "frontend/protocol/calls.h"
#include "frontend/protocol/channel.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

namespace pegasus::ring {

// Call number, bytes of its request in version 1; of launches, whose parameters may follow, all. ci/check-abi
// compares it with tests/abi/releases/1.json.
// clang-format off
#define PEGASUS_REQUESTS_OF_VERSION_1(ROW)                                                          \
  ROW(1, 8) ROW(2, 8) ROW(3, 16) ROW(4, 8) ROW(5, 8) ROW(6, 8) ROW(7, 16) ROW(8, 16) ROW(9, 16)     \
  ROW(10, 8) ROW(11, 8) ROW(12, 8) ROW(13, 8) ROW(14, 40) ROW(15, 40) ROW(16, 56) ROW(17, 48)       \
  ROW(18, 112) ROW(19, 8) ROW(20, 8) ROW(21, 8) ROW(22, 8) ROW(23, 24) ROW(24, 8) ROW(25, 8)        \
  ROW(26, 16) ROW(27, 8) ROW(28, 8) ROW(29, 16) ROW(30, 8) ROW(31, 8) ROW(32, 16) ROW(33, 8)        \
  ROW(34, 16) ROW(35, 8) ROW(36, 16) ROW(37, 8) ROW(38, 112) ROW(39, 88) ROW(40, 8)
// clang-format on

inline constexpr std::uint8_t request_bytes_of_version_1[] = {0, // no call
#define PEGASUS_BYTES(number, bytes) bytes,
                                                              PEGASUS_REQUESTS_OF_VERSION_1(PEGASUS_BYTES)
#undef PEGASUS_BYTES
};

// Bytes of the body that such a guest has written.
inline std::size_t written_by_version_1(pegasus_request const& request) {
  constexpr std::size_t count = std::size(request_bytes_of_version_1);
  std::size_t const own =
      request.call < count ? request_bytes_of_version_1[request.call] : std::size_t{PEGASUS_REQUEST_BODY};
  if (request.call != PEGASUS_CALL_GRAPH_ADD) return own;
  pegasus_graph_add_request kept; // another request follows it
  std::memcpy(&kept, request.body, sizeof kept);
  return kept.call < count ? own + request_bytes_of_version_1[kept.call] : std::size_t{PEGASUS_REQUEST_BODY};
}

inline void clear_behind_version_1(pegasus_request& request) {
  std::size_t const written = std::min<std::size_t>(written_by_version_1(request), PEGASUS_REQUEST_BODY);
  std::fill(request.body + written, std::end(request.body), std::uint8_t{0});
}

} // namespace pegasus::ring
