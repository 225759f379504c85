/* SPDX-License-Identifier: MIT */
/*
 * Where the texels of an array are in its range of addresses: rows without gaps, `height` rows a slice, one slice for
 * each layer, face or step in depth; levels begin at multiples of PEGASUS_ARRAY_LEVEL_ALIGNMENT. A slice is no level's
 * to halve where it is a layer or a face. Nothing overflows within PEGASUS_ARRAY_EXTENT_MAX and _LEVELS_MAX.
 */
#ifndef PEGASUS_PROTOCOL_ARRAY_LAYOUT_H
#define PEGASUS_PROTOCOL_ARRAY_LAYOUT_H

#include "frontend/protocol/calls.h"

#define PEGASUS_ARRAY_LEVEL_ALIGNMENT 512u

struct pegasus_array_level { /* each number of texels is at least 1 */
  uint64_t offset;
  uint64_t row_bytes;
  uint32_t width;
  uint32_t height;
  uint32_t slices;
};

static inline uint32_t pegasus_array_extent(uint32_t texels, uint32_t level) {
  return texels >> level > 0 ? texels >> level : 1;
}

/* format as CUarray_format; of one channel: 8, 16 or 32 bits. */
static inline uint32_t pegasus_texel_bytes(uint8_t format, uint8_t channels) {
  switch (format) {
  case 0x01: /* unsigned and signed 8 bits */
  case 0x08:
    return channels;
  case 0x02: /* 16 bits, half */
  case 0x09:
  case 0x10:
    return 2u * channels;
  default:
    return 4u * channels;
  }
}

/* Level `shape->levels` is the end: its offset is the array's size in bytes. */
static inline struct pegasus_array_level pegasus_array_level_of(struct pegasus_array_shape const* shape, uint32_t level) {
  struct pegasus_array_level at = {0, 0, 0, 0, 0};
  int const layers = (shape->flags & (PEGASUS_ARRAY_LAYERED | PEGASUS_ARRAY_CUBEMAP)) != 0;
  for (uint32_t i = 0;; ++i) {
    at.width = pegasus_array_extent(shape->width, i);
    at.height = pegasus_array_extent(shape->height, i);
    at.slices = pegasus_array_extent(shape->depth, layers ? 0 : i);
    at.row_bytes = (uint64_t)at.width * pegasus_texel_bytes(shape->format, shape->channels);
    if (i == level) return at;
    uint64_t const bytes = at.row_bytes * at.height * at.slices;
    at.offset += (bytes + PEGASUS_ARRAY_LEVEL_ALIGNMENT - 1) / PEGASUS_ARRAY_LEVEL_ALIGNMENT * PEGASUS_ARRAY_LEVEL_ALIGNMENT;
  }
}

#endif
