// SPDX-License-Identifier: Apache-2.0
#include "frontend/channel/bulk_copy.h"

#include "frontend/channel/piece_cutter.h"
#include "frontend/channel/read_pipeline.h"

#include <algorithm>
#include <cstring>

namespace pegasus::frontend {
namespace {

// Fits in a core's second-level cache, and amortizes a call.
constexpr std::size_t max_piece_bytes = 128 * 1024;

} // namespace

std::size_t piece_limit(RequestQueue const& requests) {
  return std::min(max_piece_bytes, requests.max_data_bytes());
}

int copy_to_device(RequestQueue& requests, std::uint64_t stream, DeviceRows target, std::byte const* source,
                   std::uint64_t source_pitch, std::uint64_t row_bytes, std::uint64_t rows) {
  PieceCutter cutter(target, source_pitch, row_bytes, rows, piece_limit(requests));
  for (Piece piece{}; cutter.next(piece);) {
    pegasus_copy_to_device_request const body{stream, piece.address, piece.pitch, piece.row_bytes,
                                              piece.rows};
    OutgoingRequest const request{
        .call = PEGASUS_CALL_COPY_TO_DEVICE, .body = as_bytes_of(body), .data_bytes = piece.bytes()};
    auto const fill = [&](WritableBytes data) {
      for (std::uint64_t row = 0; row < piece.rows; ++row)
        std::memcpy(data.data() + row * piece.row_bytes, source + piece.host_offset + row * source_pitch,
                    piece.row_bytes);
    };
    Reservation reservation;
    if (!requests.send(request, reservation, fill)) return requests.dead_status();
  }
  return 0;
}

int copy_from_device(RequestQueue& requests, std::uint64_t stream, std::byte* target,
                     std::uint64_t target_pitch, DeviceRows source, std::uint64_t row_bytes,
                     std::uint64_t rows, std::uint32_t& reply_flags) {
  PieceCutter cutter(source, target_pitch, row_bytes, rows, piece_limit(requests));
  ReadPipeline pipeline(requests, stream, target, target_pitch);
  int status = 0;
  auto const collect = [&] {
    int const result = pipeline.collect();
    status = status == 0 ? result : status;
  };
  for (Piece piece{}; status == 0 && cutter.next(piece);) {
    while (pipeline.full() || !pipeline.ask(piece)) {
      if (pipeline.empty()) return requests.dead_status();
      collect();
    }
  }
  while (!pipeline.empty())
    collect();
  reply_flags = pipeline.reply_flags();
  return status;
}

} // namespace pegasus::frontend
