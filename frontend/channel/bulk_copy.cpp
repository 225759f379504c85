// SPDX-License-Identifier: Apache-2.0
// Copies of any size and shape, cut into pieces that stream through the arena: while the worker empties one
// piece this side fills the next.
#include "frontend/channel/ring_channel.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace pegasus::frontend {
namespace {

// Fits in a core's second-level cache, and amortizes a call.
constexpr std::size_t max_piece_bytes = 128 * 1024;
constexpr std::size_t pieces_in_flight = 8;

struct Piece {
  std::uint64_t address; // on the device
  std::uint64_t pitch;
  std::uint64_t row_bytes;
  std::uint64_t rows;
  std::uint64_t host_offset;
  [[nodiscard]] std::size_t bytes() const { return row_bytes * rows; }
};

// Cuts rows into pieces of at most `limit` bytes: several whole rows, or parts of one row.
class Cutter {
public:
  Cutter(DeviceRows device, std::uint64_t host_pitch, std::uint64_t row_bytes, std::uint64_t rows,
         std::size_t limit)
      : device_(device), host_pitch_(host_pitch), row_bytes_(row_bytes), rows_(rows), limit_(limit) {
    bool const packed = rows == 1 || (device.pitch == row_bytes && host_pitch == row_bytes);
    if (packed) {
      row_bytes_ *= rows_;
      rows_ = 1;
    }
  }

  bool next(Piece& piece) {
    if (row_ == rows_ || row_bytes_ == 0) return false;
    piece.address = device_.address + row_ * device_.pitch + column_;
    piece.host_offset = row_ * host_pitch_ + column_;
    piece.pitch = device_.pitch;
    if (row_bytes_ > limit_) {
      piece.row_bytes = std::min<std::uint64_t>(limit_, row_bytes_ - column_);
      piece.rows = 1;
      column_ += piece.row_bytes;
      if (column_ == row_bytes_) {
        column_ = 0;
        ++row_;
      }
    } else {
      piece.row_bytes = row_bytes_;
      piece.rows = std::min<std::uint64_t>(limit_ / row_bytes_, rows_ - row_);
      row_ += piece.rows;
    }
    return true;
  }

private:
  DeviceRows device_;
  std::uint64_t host_pitch_, row_bytes_, rows_;
  std::size_t limit_;
  std::uint64_t row_ = 0, column_ = 0;
};

} // namespace

int RingChannel::write_device(std::uint64_t stream, DeviceRows target, std::byte const* source,
                              std::uint64_t source_pitch, std::uint64_t row_bytes, std::uint64_t rows) {
  Cutter cutter(target, source_pitch, row_bytes, rows, std::min(max_piece_bytes, max_data_bytes()));
  for (Piece piece{}; cutter.next(piece);) {
    pegasus_copy_to_device_request const request{stream, piece.address, piece.pitch, piece.row_bytes,
                                                 piece.rows};
    std::lock_guard lock(mutex_);
    Reservation reservation;
    if (!reserve(piece.bytes(), reservation)) return dead_status();
    for (std::uint64_t row = 0; row < piece.rows; ++row)
      std::memcpy(reservation.data.data() + row * piece.row_bytes,
                  source + piece.host_offset + row * source_pitch, piece.row_bytes);
    submit(reservation, PEGASUS_CALL_COPY_TO_DEVICE, as_bytes_of(request), {}, false);
  }
  return 0;
}

// Pieces that were requested and not yet copied out, oldest first.
class ReadPipeline {
public:
  ReadPipeline(RingChannel& channel, std::uint64_t stream, std::byte* target, std::uint64_t target_pitch)
      : channel_(channel), stream_(stream), target_(target), target_pitch_(target_pitch) {}

  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] bool full() const { return count_ == pieces_in_flight; }

  // With pieces outstanding, waits neither for space nor for a thread that waits for space: the arena may be
  // full of this pipeline's own replies.
  bool ask(Piece const& piece) {
    pegasus_copy_from_device_request const request{stream_, piece.address, piece.pitch, piece.row_bytes,
                                                   piece.rows};
    std::unique_lock lock(channel_.mutex_, std::defer_lock);
    if (empty())
      lock.lock();
    else if (!lock.try_lock())
      return false;
    Reservation reservation;
    bool const reserved = empty() ? channel_.reserve(piece.bytes(), reservation)
                                  : channel_.producer_.reserve(piece.bytes(), reservation);
    if (!reserved) return false;
    channel_.submit(reservation, PEGASUS_CALL_COPY_FROM_DEVICE, as_bytes_of(request), {}, true);
    waiting_[(first_ + count_++) % pieces_in_flight] = {piece, reservation};
    return true;
  }

  // Waits for the oldest piece and copies it out. Returns a CUresult. Prints nothing: with pieces outstanding
  // it must not wait for a thread that waits for space.
  int collect() {
    auto const [piece, reservation] = waiting_[first_];
    first_ = (first_ + 1) % pieces_in_flight;
    --count_;
    pegasus_reply reply{};
    if (!channel_.await(reservation.sequence, reply)) return channel_.dead_status();
    if (reply.status == 0)
      for (std::uint64_t row = 0; row < piece.rows; ++row)
        std::memcpy(target_ + piece.host_offset + row * target_pitch_,
                    reservation.data.data() + row * piece.row_bytes, piece.row_bytes);
    channel_.release(reservation.sequence);
    flags_ |= reply.flags;
    return reply.status;
  }

  // Call it when the pipeline is empty: handles what the replies reported besides the data.
  void finish() const {
    pegasus_reply told{};
    told.flags = flags_;
    (void)channel_.finish(told);
  }

private:
  struct Waiting {
    Piece piece;
    Reservation reservation;
  };
  RingChannel& channel_;
  std::uint64_t stream_;
  std::byte* target_;
  std::uint64_t target_pitch_;
  std::array<Waiting, pieces_in_flight> waiting_{};
  std::size_t first_ = 0, count_ = 0;
  std::uint32_t flags_ = 0; // of all replies
};

int RingChannel::read_device(std::uint64_t stream, std::byte* target, std::uint64_t target_pitch,
                             DeviceRows source, std::uint64_t row_bytes, std::uint64_t rows) {
  Cutter cutter(source, target_pitch, row_bytes, rows, std::min(max_piece_bytes, max_data_bytes()));
  ReadPipeline pipeline(*this, stream, target, target_pitch);
  int status = 0;
  auto collect = [&] {
    int const result = pipeline.collect();
    status = status == 0 ? result : status;
  };
  for (Piece piece{}; status == 0 && cutter.next(piece);) {
    while (pipeline.full() || !pipeline.ask(piece)) {
      if (pipeline.empty()) return dead_status();
      collect();
    }
  }
  while (!pipeline.empty())
    collect();
  pipeline.finish();
  return status;
}

int RingChannel::load_module(Bytes image, std::uint32_t image_kind, std::uint64_t& module) {
  pegasus_module_begin_reply begun{};
  int status = call(pegasus_module_begin_request{image.size(), image_kind, 0}, begun);
  for (std::size_t offset = 0; status == 0 && offset < image.size();) {
    std::size_t const bytes = std::min({max_piece_bytes, max_data_bytes(), image.size() - offset});
    status = post(pegasus_module_data_request{offset}, image.subspan(offset, bytes));
    offset += bytes;
  }
  if (status != 0) return status;
  pegasus_module_load_reply loaded{};
  status = call(pegasus_module_load_request{}, loaded);
  module = loaded.module;
  return status;
}

} // namespace pegasus::frontend
