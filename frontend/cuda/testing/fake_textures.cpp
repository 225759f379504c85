// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/testing/fake_bytes.h"
#include "frontend/cuda/testing/fake_channel.h"
#include "frontend/protocol/array_layout.h"

#include <utility>

namespace pegasus::driver::testing {

std::uint64_t FakeChannel::make_array(pegasus_array_shape const& shape) {
  std::uint64_t const address = next_address_;
  arrays.push_back(shape);
  memory[address].resize(pegasus_array_level_of(&shape, shape.levels).offset);
  next_address_ += (memory[address].size() + 511) / 256 * 256;
  return address;
}

int FakeChannel::call_texture(std::uint16_t call, frontend::Bytes request, frontend::WritableBytes reply) {
  switch (call) {
  case PEGASUS_CALL_ARRAY_CREATE:
    encode(reply,
           pegasus_array_create_reply{make_array(decode<pegasus_array_create_request>(request).shape)});
    return std::exchange(next_status, 0);
  case PEGASUS_CALL_ARRAY_DESTROY:
    return memory.erase(decode<pegasus_array_destroy_request>(request).address) == 1
               ? 0
               : CUDA_ERROR_INVALID_VALUE;
  case PEGASUS_CALL_TEXTURE_CREATE:
    textures.push_back(decode<pegasus_texture_create_request>(request));
    encode(reply, pegasus_texture_create_reply{next_handle_++});
    return 0;
  case PEGASUS_CALL_SURFACE_CREATE:
    encode(reply, pegasus_surface_create_reply{next_handle_++});
    return 0;
  case PEGASUS_CALL_TEXTURE_DESTROY:
    ended_textures.push_back(decode<pegasus_texture_destroy_request>(request).texture);
    return 0;
  case PEGASUS_CALL_SURFACE_DESTROY:
    ended_textures.push_back(decode<pegasus_surface_destroy_request>(request).surface);
    return 0;
  default:
    return std::exchange(next_status, 0);
  }
}

} // namespace pegasus::driver::testing
