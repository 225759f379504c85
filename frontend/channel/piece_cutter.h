// SPDX-License-Identifier: Apache-2.0
// Cuts a copy into pieces, each small enough for one request.
#pragma once

#include "frontend/channel/channel.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace pegasus::frontend {

struct Piece {
  std::uint64_t address; // on the device
  std::uint64_t pitch;   // on the device
  std::uint64_t row_bytes;
  std::uint64_t rows;
  std::uint64_t host_offset; // from the first byte of the copy's host memory
  [[nodiscard]] std::size_t bytes() const { return row_bytes * rows; }
};

// Pieces of at most `limit` bytes: several whole rows, or parts of one row.
class PieceCutter {
public:
  PieceCutter(DeviceRows device, std::uint64_t host_pitch, std::uint64_t row_bytes, std::uint64_t rows,
              std::size_t limit)
      : device_(device), host_pitch_(host_pitch), row_bytes_(row_bytes), rows_(rows), limit_(limit) {
    bool const packed = rows == 1 || (device.pitch == row_bytes && host_pitch == row_bytes);
    if (packed) {
      row_bytes_ *= rows_;
      rows_ = 1;
    }
  }

  // Returns false after the last piece.
  [[nodiscard]] bool next(Piece& piece) {
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

} // namespace pegasus::frontend
