// SPDX-License-Identifier: Apache-2.0
#include "frontend/channel/read_pipeline.h"

#include <cstring>

namespace pegasus::frontend {

bool ReadPipeline::ask(Piece const& piece) {
  pegasus_copy_from_device_request const body{stream_, piece.address, piece.pitch, piece.row_bytes,
                                              piece.rows};
  OutgoingRequest const request{.call = PEGASUS_CALL_COPY_FROM_DEVICE,
                                .body = as_bytes_of(body),
                                .data_bytes = piece.bytes(),
                                .expects_reply = true};
  Reservation reservation;
  bool const sent = empty() ? requests_.send(request, reservation) : requests_.try_send(request, reservation);
  if (sent) waiting_[(first_ + count_++) % waiting_.size()] = {piece, reservation};
  return sent;
}

int ReadPipeline::collect() {
  auto const [piece, reservation] = waiting_[first_];
  first_ = (first_ + 1) % waiting_.size();
  --count_;
  pegasus_reply reply{};
  if (!requests_.await(reservation, reply)) return requests_.dead_status();
  if (reply.status == 0)
    for (std::uint64_t row = 0; row < piece.rows; ++row)
      std::memcpy(target_ + piece.host_offset + row * target_pitch_,
                  reservation.data.data() + row * piece.row_bytes, piece.row_bytes);
  requests_.release(reservation);
  reply_flags_ |= reply.flags;
  return reply.status;
}

} // namespace pegasus::frontend
