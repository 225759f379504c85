// SPDX-License-Identifier: Apache-2.0
// Requests that a guest asked us to keep (GRAPH_ADD), as private copies: the guest cannot change them any
// more. Nothing in them is resolved: handles are looked up at each launch, like those of a plain call.
#pragma once

#include "domA/device/device.h"
#include "frontend/protocol/calls.h"
#include "frontend/protocol/channel.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pegasus::avcpu {

using device::Status;

struct KeptRequest {
  static constexpr std::size_t body_bytes = PEGASUS_REQUEST_BODY - sizeof(pegasus_graph_add_request);

  std::uint16_t call = 0;
  std::array<std::byte, body_bytes> body{}; // the request struct and the inline bytes after it
  std::vector<std::byte> data;              // the bytes that were in the arena

  [[nodiscard]] std::size_t bytes() const { return sizeof *this + data.size(); }
};

struct Graph {
  std::vector<KeptRequest> requests;
  std::size_t bytes = 0;
  Status error = Status::success; // of the first request that could not be kept
};

} // namespace pegasus::avcpu
