// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/testing/fake_channel.h"

#include "frontend/cuda/cuda_api.h"
#include "frontend/cuda/testing/fake_bytes.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace pegasus::driver::testing {
using frontend::as_bytes_of;
using frontend::Bytes;
using frontend::WritableBytes;

FakeChannel& fake() {
  static FakeChannel channel;
  return channel;
}

FakeChannel::FakeChannel() {
  std::strcpy(profile_.name, "Fake accelerator");
  std::memset(profile_.uuid, 0x5a, sizeof profile_.uuid);
  profile_.memory_bytes = 1u << 30;
  profile_.driver_version = 13000;
  profile_.attribute_count = PEGASUS_ATTRIBUTES;
  auto const set = [&](CUdevice_attribute number, int value) { profile_.attribute[number] = value; };
  set(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024);
  set(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024);
  set(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024);
  set(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64);
  set(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 0x7fffffff);
  set(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535);
  set(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535);
  set(CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32);
  set(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 2);
  set(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 7);
  set(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 5);
  set(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 1024);
  set(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 16);
  set(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536);
  set(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536);
  set(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 65536);
  set(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 65536);
}

int FakeChannel::load_module(Bytes image, std::uint32_t image_kind, std::uint64_t& module) {
  last_image.assign(image.begin(), image.end());
  last_image_kind = image_kind;
  if (load_status != 0) return load_status;
  ++modules_loaded;
  module = next_handle_++;
  return 0;
}

int FakeChannel::function(Bytes in, std::uint32_t name_bytes, pegasus_module_function_reply& reply,
                          WritableBytes out) {
  std::string const name(reinterpret_cast<char const*>(in.data()), name_bytes);
  reply.function = next_handle_++;
  reply.max_threads_per_block = name == "bounded" ? 64 : 1024;
  reply.max_dynamic_shared_bytes = 48 * 1024;
  reply.registers = 32;
  reply.ptx_version = 75;
  reply.binary_version = 75;
  reply.required_cluster[0] = required_cluster;
  std::vector<pegasus_parameter> parameters;
  if (name == "take_int_pointer") parameters = {{0, 4}, {8, 8}};
  if (name == "big") parameters.assign(512, {});
  if (name == "too_many") parameters.assign(PEGASUS_PARAMETERS_MAX + 1, {});
  if (name == "overlapping") parameters = {{0, 8}, {4, 8}};
  for (std::uint32_t i = 0; name == "big" && i < 512; ++i)
    parameters[i] = {i * 8, 8};
  if (parameters.empty() && name != "empty" && name != "bounded") return CUDA_ERROR_NOT_FOUND;
  reply.parameter_bytes = parameters.empty() ? 0 : parameters.back().offset + parameters.back().bytes;
  reply.parameter_count = static_cast<std::uint16_t>(parameters.size());
  if (out.size() < parameters.size() * sizeof parameters[0]) return 0;
  auto const bytes = std::as_bytes(std::span(parameters));
  std::copy(bytes.begin(), bytes.end(), out.begin());
  reply.parameters_written = reply.parameter_count;
  return 0;
}

int FakeChannel::variable(Bytes in, WritableBytes reply) {
  std::string const name(reinterpret_cast<char const*>(in.data()), in.size());
  if (name != "counter") return CUDA_ERROR_NOT_FOUND;
  memory[next_address_].resize(16);
  encode(reply, pegasus_module_global_reply{next_address_, 16});
  next_address_ += 256;
  return 0;
}

int FakeChannel::call_bytes(std::uint16_t call, Bytes request, WritableBytes reply, Bytes in,
                            WritableBytes out) {
  switch (call) {
  case PEGASUS_CALL_MODULE_UNLOAD:
    ++modules_unloaded;
    return 0;
  case PEGASUS_CALL_MODULE_FUNCTION: {
    pegasus_module_function_reply answer{};
    int const status = function(in, decode<pegasus_module_function_request>(request).name_bytes, answer, out);
    encode(reply, answer);
    return status;
  }
  case PEGASUS_CALL_MODULE_GLOBAL:
    return variable(in, reply);
  case PEGASUS_CALL_FUNCTION_SET_ATTRIBUTE:
    function_attributes.push_back(decode<pegasus_function_set_attribute_request>(request));
    return std::exchange(next_status, 0);
  case PEGASUS_CALL_CLUSTER_OCCUPANCY:
    cluster_questions.push_back(decode<pegasus_cluster_occupancy_request>(request));
    encode(reply, pegasus_cluster_occupancy_reply{16, 0});
    return std::exchange(next_status, 0);
  case PEGASUS_CALL_TENSOR_MAP_ENCODE:
    tensor_maps.push_back(decode<pegasus_tensor_map>(in));
    std::fill(out.begin(), out.end(), std::byte{0x7e});
    return std::exchange(next_status, 0);
  case PEGASUS_CALL_STREAM_CREATE:
    ++streams;
    encode(reply, pegasus_stream_create_reply{next_handle_++});
    return 0;
  case PEGASUS_CALL_EVENT_CREATE:
    ++events;
    encode(reply, pegasus_event_create_reply{next_handle_++});
    return 0;
  case PEGASUS_CALL_CONTEXT_RESET:
    ++resets;
    memory.clear();
    graphs.clear();
    streams = events = 0;
    return 0;
  case PEGASUS_CALL_CONTEXT_SET_LIMIT:
    encode(reply, pegasus_context_set_limit_reply{decode<pegasus_context_set_limit_request>(request).value});
    return 0;
  case PEGASUS_CALL_GRAPH_CREATE:
    graphs[next_handle_];
    encode(reply, pegasus_graph_create_reply{next_handle_++});
    return 0;
  case PEGASUS_CALL_GRAPH_READY:
    return graph_status;
  case PEGASUS_CALL_STREAM_SYNCHRONIZE:
  case PEGASUS_CALL_CONTEXT_SYNCHRONIZE:
    ++synchronizations;
    return std::exchange(next_status, 0);
  default:
    return call_memory(call, request, reply);
  }
}

int FakeChannel::post_bytes(std::uint16_t call, Bytes request, Bytes tail) {
  posts.push_back(call);
  if (call == PEGASUS_CALL_GRAPH_ADD) {
    auto const add = decode<pegasus_graph_add_request>(request);
    Bytes const kept = request.subspan(sizeof add);
    graphs.at(add.graph).push_back(
        {static_cast<std::uint16_t>(add.call), {kept.begin(), kept.end()}, {tail.begin(), tail.end()}});
  } else if (call == PEGASUS_CALL_GRAPH_LAUNCH) {
    for (KeptCall const& kept : graphs.at(decode<pegasus_graph_launch_request>(request).graph))
      execute(kept.call, kept.request, kept.tail);
  } else if (call == PEGASUS_CALL_GRAPH_DESTROY) {
    graphs.erase(decode<pegasus_graph_destroy_request>(request).graph);
  } else {
    execute(call, request, tail);
  }
  return 0;
}

void FakeChannel::execute(std::uint16_t call, Bytes request, Bytes tail) {
  if (call == PEGASUS_CALL_LAUNCH) {
    launches.push_back({decode<pegasus_launch_request>(request), {tail.begin(), tail.end()}, {}});
  } else if (call == PEGASUS_CALL_LAUNCH_WITH_ATTRIBUTES) {
    auto const with = decode<pegasus_launch_with_attributes_request>(request);
    launches.push_back({with.launch, {tail.begin(), tail.end()}, with.attributes});
  } else if (call == PEGASUS_CALL_STREAM_DESTROY) {
    --streams;
  } else if (call == PEGASUS_CALL_EVENT_DESTROY) {
    --events;
  } else if (call == PEGASUS_CALL_FILL) {
    auto const f = decode<pegasus_fill_request>(request);
    for (std::uint64_t row = 0; row < f.rows; ++row)
      for (std::uint64_t i = 0; i < f.row_elements; ++i)
        std::memcpy(at(f.address + row * f.pitch + i * f.element_bytes, f.element_bytes), &f.value,
                    f.element_bytes);
  } else if (call == PEGASUS_CALL_COPY_DEVICE) {
    auto const c = decode<pegasus_copy_device_request>(request);
    for (std::uint64_t row = 0; row < c.rows; ++row)
      std::memcpy(at(c.target + row * c.target_pitch, c.row_bytes),
                  at(c.source + row * c.source_pitch, c.row_bytes), c.row_bytes);
  }
}

} // namespace pegasus::driver::testing

// Replaces the function that opens a connection.
pegasus::frontend::Channel* pegasus::frontend::Channel::get(int& status) {
  auto& fake = pegasus::driver::testing::fake();
  status = fake.available ? 0 : CUDA_ERROR_NO_DEVICE;
  return fake.available ? &fake : nullptr;
}
