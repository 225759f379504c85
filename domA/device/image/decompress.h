// SPDX-License-Identifier: Apache-2.0
// The two compressions that nvcc uses in fatbins: an LZ4 block and a zstd frame.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace pegasus::image {

enum class Compression { none, lz4, zstd };

// Returns exactly `bytes` of text, or nullopt if the data has another size or is damaged. The
// caller limits `bytes`.
[[nodiscard]] std::optional<std::string> decompress(Compression, std::span<std::byte const> data,
                                                    std::size_t bytes);

} // namespace pegasus::image
