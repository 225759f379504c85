// SPDX-License-Identifier: Apache-2.0
// Copies of any size and shape, cut into pieces that stream through the arena: while the worker empties one
// piece, this side fills the next. Parameters and results are those of Channel::write_device and read_device.
#pragma once

#include "frontend/channel/request_queue.h"

namespace pegasus::frontend {

// How many bytes one request carries at most.
[[nodiscard]] std::size_t piece_limit(RequestQueue const& requests);

int copy_to_device(RequestQueue& requests, std::uint64_t stream, DeviceRows target, std::byte const* source,
                   std::uint64_t source_pitch, std::uint64_t row_bytes, std::uint64_t rows);

// `reply_flags`: those of all replies, for the caller to handle.
int copy_from_device(RequestQueue& requests, std::uint64_t stream, std::byte* target,
                     std::uint64_t target_pitch, DeviceRows source, std::uint64_t row_bytes,
                     std::uint64_t rows, std::uint32_t& reply_flags);

} // namespace pegasus::frontend
