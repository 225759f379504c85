// SPDX-License-Identifier: Apache-2.0
// Requests about arrays, textures and surfaces. Arrays are small, and a guest's address is mostly one that it was given:
// an array's is among those of its memory.
#include "tests/fuzz/device_guest.h"

#include "frontend/protocol/array_layout.h"

#include <algorithm>
#include <cstring>

namespace pegasus::fuzz {
namespace {

constexpr std::uint8_t formats[] = {0x01, 0x02, 0x03, 0x08, 0x09, 0x0a, 0x10, 0x20}; // CUarray_format

} // namespace

DeviceGuest::Made DeviceGuest::texture_call(std::uint16_t call) {
  auto const choice = take<std::uint8_t>();
  auto const extent = [&] {
    return choice < 248 ? take<std::uint8_t>() % 17u : static_cast<std::uint32_t>(number());
  };
  std::uint8_t const format = choice < 250 ? formats[choice % std::size(formats)] : choice;
  auto const channels = static_cast<std::uint8_t>(choice < 250 ? 1 << choice / 8 % 3 : choice);
  switch (call) {
  case PEGASUS_CALL_ARRAY_CREATE: {
    pegasus_array_shape const shape{
        extent(),        extent(), extent(), choice % 3 == 0 ? take<std::uint8_t>() % 32u : 2u,
        1 + choice % 4u, format,   channels, 0};
    return make(call, pegasus_array_create_request{shape});
  }
  case PEGASUS_CALL_ARRAY_DESTROY:
    return make(call, pegasus_array_destroy_request{address()});
  case PEGASUS_CALL_TEXTURE_CREATE: {
    pegasus_texture_create_request texture{};
    texture.address = address();
    texture.bytes = number();
    texture.pitch = number();
    texture.width = extent();
    texture.height = extent();
    texture.source = static_cast<std::uint8_t>(1 + choice % 4);
    texture.format = format;
    texture.channels = channels;
    for (std::uint8_t& mode : texture.address_mode)
      mode = take<std::uint8_t>() % 5;
    texture.filter = choice / 4 % 2;
    texture.mipmap_filter = choice / 8 % 2;
    texture.flags = choice / 16;
    auto const any = static_cast<std::uint32_t>(number());
    std::memcpy(&texture.mipmap_bias, &any, sizeof any);
    texture.mipmap_most = static_cast<float>(choice % 5);
    return make(call, texture);
  }
  case PEGASUS_CALL_TEXTURE_DESTROY:
    return make(call, pegasus_texture_destroy_request{handle(texture_)});
  case PEGASUS_CALL_SURFACE_CREATE:
    return make(call, pegasus_surface_create_request{address()});
  default: // SURFACE_DESTROY
    return make(call, pegasus_surface_destroy_request{handle(surface_)});
  }
}

void DeviceGuest::note_array(Made const& made, avcpu::CallResult const& answer) {
  pegasus_array_create_request request;
  pegasus_array_create_reply reply;
  std::memcpy(&request, made.request.body, sizeof request);
  std::memcpy(&reply, answer.body, sizeof reply);
  Piece const array{reply.address, pegasus_array_level_of(&request.shape, request.shape.levels).offset};
  memory_[pieces_++ % kept] = array;
  if (task_.has_honest_device()) check_fresh(array);
}

} // namespace pegasus::fuzz
