// SPDX-License-Identifier: Apache-2.0
// What the guest's requests say.
#include "tests/fuzz/device_guest.h"

#include <algorithm>
#include <cstring>

namespace pegasus::fuzz {

DeviceGuest::Made DeviceGuest::any_request() {
  Made made;
  made.request.call = static_cast<std::uint16_t>(take<std::uint16_t>() % 300);
  auto const body = input_.take_bytes(take<std::uint8_t>() % (sizeof made.request.body + 1));
  if (!body.empty()) std::memcpy(made.request.body, body.data(), body.size());
  auto const data = input_.take_bytes(take<std::uint8_t>());
  made.data.assign(data.begin(), data.end());
  return made;
}

DeviceGuest::Made DeviceGuest::typed(std::uint16_t call) {
  if (call >= PEGASUS_CALL_ADDRESSES_RESERVE && call <= PEGASUS_CALL_MEMORY_SET_ACCESS)
    return mapping_call(call);
  if (call >= PEGASUS_CALL_ARRAY_CREATE && call <= PEGASUS_CALL_SURFACE_DESTROY) return texture_call(call);
  if (call <= PEGASUS_CALL_FUNCTION_SET_ATTRIBUTE) return module_call(call);
  if (call <= PEGASUS_CALL_COPY_FROM_DEVICE) return memory_call(call);
  switch (call) {
  case PEGASUS_CALL_COPY_DEVICE:
    return copy_device();
  case PEGASUS_CALL_FILL:
    return fill();
  case PEGASUS_CALL_LAUNCH:
    return launch();
  case PEGASUS_CALL_LAUNCH_WITH_ATTRIBUTES:
    return launch_with_attributes();
  case PEGASUS_CALL_CLUSTER_OCCUPANCY:
    return cluster_occupancy();
  case PEGASUS_CALL_TENSOR_MAP_ENCODE:
    return tensor_map();
  case PEGASUS_CALL_GRAPH_ADD:
    return addition();
  default:
    return object_call(call);
  }
}

DeviceGuest::Made DeviceGuest::module_call(std::uint16_t call) {
  switch (call) {
  case PEGASUS_CALL_OUTPUT_READ:
    return make(call, pegasus_output_read_request{}, number());
  case PEGASUS_CALL_MODULE_BEGIN:
    return make(call, pegasus_module_begin_request{number(), take<std::uint8_t>() % 4u, 0});
  case PEGASUS_CALL_MODULE_DATA:
    return make(call, pegasus_module_data_request{number()}, number());
  case PEGASUS_CALL_MODULE_UNLOAD:
    return make(call, pegasus_module_unload_request{handle(module_)});
  case PEGASUS_CALL_MODULE_FUNCTION:
  case PEGASUS_CALL_MODULE_GLOBAL: {
    std::string_view const name = symbol(take<std::uint8_t>());
    auto const said = take<std::uint8_t>() < 250 ? name.size() : number();
    pegasus_module_function_request const request{handle(module_), static_cast<std::uint32_t>(said), 0};
    Made made = make(call, request, std::max<std::size_t>(name.size(), take<std::uint8_t>()));
    std::copy_n(reinterpret_cast<std::byte const*>(name.data()), name.size(), made.data.begin());
    return made;
  }
  case PEGASUS_CALL_FUNCTION_SET_ATTRIBUTE:
    return make(call, pegasus_function_set_attribute_request{handle(function_), take<std::uint8_t>() % 12,
                                                             static_cast<std::int32_t>(number())});
  default:
    return make(call, pegasus_ping_request{number()});
  }
}

DeviceGuest::Made DeviceGuest::memory_call(std::uint16_t call) {
  switch (call) {
  case PEGASUS_CALL_MEMORY_ALLOCATE:
    return make(call, pegasus_memory_allocate_request{number() * 16, take<std::uint8_t>() % 4u, 0});
  case PEGASUS_CALL_MEMORY_FREE:
    return make(call, pegasus_memory_free_request{address()});
  case PEGASUS_CALL_MEMORY_RANGE:
    return make(call, pegasus_memory_range_request{address()});
  case PEGASUS_CALL_COPY_TO_DEVICE:
  case PEGASUS_CALL_COPY_FROM_DEVICE: {
    pegasus_copy_to_device_request const request{handle(stream_), address(), number(), number(), number()};
    std::uint64_t const bytes =
        take<std::uint8_t>() < 250 ? request.row_bytes * request.rows % (arena_bytes + 1) : number();
    Made made = make(call, request, bytes);
    std::fill(made.data.begin(), made.data.end(), std::byte{0xa5});
    return made;
  }
  default: // MEMORY_INFO
    return make(call, pegasus_memory_info_request{});
  }
}

DeviceGuest::Made DeviceGuest::mapping_call(std::uint16_t call) {
  auto const choice = take<std::uint8_t>();
  std::uint64_t const bytes =
      choice < 240 ? (1 + choice % 4) * std::uint64_t{PEGASUS_MAPPING_GRANULE} : number();
  auto const where = [&] {
    Piece const& known = mapped_[choice / 8 % std::clamp<std::size_t>(mappings_, 1, kept)];
    return choice < 216 ? known : Piece{reserved_address(), bytes};
  };
  Piece const piece = call >= PEGASUS_CALL_MEMORY_UNMAP ? where() : Piece{};
  switch (call) {
  case PEGASUS_CALL_ADDRESSES_RESERVE:
    return make(call, pegasus_addresses_reserve_request{bytes * 2, choice % 8 == 0 ? number() : 0,
                                                        choice % 8 == 1 ? reserved_address() : 0});
  case PEGASUS_CALL_ADDRESSES_FREE: {
    Piece const& whole = reserved_[choice % kept];
    return make(call, pegasus_addresses_free_request{whole.address, choice < 240 ? whole.bytes : bytes});
  }
  case PEGASUS_CALL_PHYSICAL_CREATE:
    return make(call, pegasus_physical_create_request{bytes});
  case PEGASUS_CALL_PHYSICAL_RELEASE:
    return make(call, pegasus_physical_release_request{handle(physical_)});
  case PEGASUS_CALL_MEMORY_MAP:
    return make(call, pegasus_memory_map_request{handle(physical_), reserved_address(), bytes});
  case PEGASUS_CALL_MEMORY_UNMAP:
    return make(call, pegasus_memory_unmap_request{piece.address, piece.bytes});
  default: // MEMORY_SET_ACCESS
    return make(call, pegasus_memory_set_access_request{piece.address, piece.bytes,
                                                        choice % 8 == 0    ? 0u
                                                        : choice % 64 == 1 ? 1u
                                                                           : 3u,
                                                        0});
  }
}

DeviceGuest::Made DeviceGuest::copy_device() {
  return make(PEGASUS_CALL_COPY_DEVICE, pegasus_copy_device_request{handle(stream_), address(), number(),
                                                                    address(), number(), number(), number()});
}

DeviceGuest::Made DeviceGuest::fill() {
  constexpr std::uint32_t elements[] = {1, 2, 4, 3};
  return make(PEGASUS_CALL_FILL,
              pegasus_fill_request{handle(stream_), address(), number(), number(), number(),
                                   elements[take<std::uint8_t>() % 4], take<std::uint8_t>() * 0x01010101u});
}

DeviceGuest::Made DeviceGuest::launch() {
  auto const choice = take<std::uint8_t>();
  Known const& function = one_of(function_, choice);
  auto const small = [&] { return 1u + take<std::uint8_t>() % 3u; };
  bool const odd = choice >= 224; // a shape or a size that is seldom valid
  pegasus_launch_request request{};
  request.function = choice >= 248 ? handle(function_) : function.handle;
  request.stream = handle(stream_);
  for (unsigned axis = 0; axis < 3; ++axis) {
    request.grid[axis] = odd ? static_cast<std::uint32_t>(number()) : axis == 0 ? small() : 1u;
    std::uint64_t const wide = odd ? number() : axis == 0 ? 1u + take<std::uint8_t>() % 64u : 1u;
    request.block[axis] = static_cast<std::uint16_t>(wide);
  }
  request.dynamic_shared_bytes = choice % 16 < 8 ? 64 : static_cast<std::uint32_t>(number());
  request.flags = choice / 8 % 8 == 7 ? 1 : 0;
  std::vector<std::byte> packed;
  for (pegasus_parameter const& p : function.parameters) {
    if (p.bytes == 0 || p.offset > arena_bytes || p.bytes > arena_bytes) continue; // of a device that lies
    std::uint64_t const value = p.bytes == 8 && take<std::uint8_t>() < 160 ? address() : number();
    packed.resize(std::max<std::size_t>(packed.size(), p.offset + p.bytes));
    std::memcpy(packed.data() + p.offset, &value, std::min<std::size_t>(p.bytes, sizeof value));
  }
  request.parameter_bytes = static_cast<std::uint16_t>(odd ? number() : packed.size());
  Made made = make(PEGASUS_CALL_LAUNCH, request);
  made.data = std::move(packed); // a few bytes move behind the struct, below
  if (made.data.size() <= (PEGASUS_REQUEST_BODY - sizeof request) / 2 && !made.data.empty()) {
    std::memcpy(made.request.body + sizeof request, made.data.data(), made.data.size());
    made.data.clear();
  }
  return made;
}

// Mostly what a device without clusters accepts.
pegasus_launch_attributes DeviceGuest::attributes() {
  pegasus_launch_attributes attributes{};
  attributes.set = take<std::uint8_t>() < 250 ? take<std::uint8_t>() : static_cast<std::uint32_t>(number());
  attributes.priority = take<std::int8_t>();
  for (unsigned axis = 0; axis < 3; ++axis) {
    attributes.cluster[axis] = take<std::uint8_t>() < 200 ? 1 : static_cast<std::uint16_t>(number());
    attributes.preferred_cluster[axis] = take<std::uint8_t>();
  }
  attributes.cluster_scheduling = take<std::uint8_t>() % 5;
  attributes.memory_domain = take<std::uint8_t>() % 3;
  attributes.carveout = static_cast<std::int8_t>(take<std::uint8_t>() % 104 - 2);
  return attributes;
}

DeviceGuest::Made DeviceGuest::launch_with_attributes() {
  Made made = launch();
  pegasus_launch_request plain;
  std::memcpy(&plain, made.request.body, sizeof plain);
  if (made.data.empty() &&
      plain.parameter_bytes <= sizeof made.request.body - sizeof plain) // behind the struct
    made.data.assign(reinterpret_cast<std::byte*>(made.request.body) + sizeof plain,
                     reinterpret_cast<std::byte*>(made.request.body) + sizeof plain + plain.parameter_bytes);
  Made with =
      make(PEGASUS_CALL_LAUNCH_WITH_ATTRIBUTES, pegasus_launch_with_attributes_request{plain, attributes()});
  with.data = std::move(made.data);
  return with;
}

DeviceGuest::Made DeviceGuest::cluster_occupancy() {
  Made const launched = launch();
  pegasus_cluster_occupancy_request request{};
  std::memcpy(&request.launch, launched.request.body, sizeof request.launch);
  request.attributes = attributes();
  request.question = take<std::uint8_t>() % 4;
  return make(PEGASUS_CALL_CLUSTER_OCCUPANCY, request);
}

DeviceGuest::Made DeviceGuest::tensor_map() {
  Made made = make(PEGASUS_CALL_TENSOR_MAP_ENCODE, pegasus_tensor_map_encode_request{},
                   sizeof(pegasus_tensor_map) - (take<std::uint8_t>() < 240 ? 0 : 1));
  for (std::byte& byte : made.data)
    byte = std::byte{static_cast<std::uint8_t>(take<std::uint8_t>() % 8)};
  return made;
}

DeviceGuest::Made DeviceGuest::addition() {
  auto const choice = take<std::uint8_t>();
  Made kept_one = choice % 4 == 0   ? fill()
                  : choice % 4 == 1 ? copy_device()
                  : choice == 246   ? launch_with_attributes()
                                    : launch();
  std::uint32_t const call = choice < 250 ? kept_one.request.call : choice;
  pegasus_graph_add_request const add{handle(graph_), call, 0};
  Made made = make(PEGASUS_CALL_GRAPH_ADD, add);
  std::memcpy(made.request.body + sizeof add, kept_one.request.body, sizeof made.request.body - sizeof add);
  made.data = std::move(kept_one.data);
  return made;
}

DeviceGuest::Made DeviceGuest::object_call(std::uint16_t call) {
  switch (call) {
  case PEGASUS_CALL_STREAM_CREATE:
    return make(call, pegasus_stream_create_request{take<std::uint8_t>() % 3u, 0});
  case PEGASUS_CALL_STREAM_DESTROY:
  case PEGASUS_CALL_STREAM_QUERY:
  case PEGASUS_CALL_STREAM_SYNCHRONIZE:
    return make(call, pegasus_stream_query_request{handle(stream_)});
  case PEGASUS_CALL_STREAM_WAIT_EVENT:
    return make(call, pegasus_stream_wait_event_request{handle(stream_), handle(event_), 0, 0});
  case PEGASUS_CALL_EVENT_CREATE:
    return make(call, pegasus_event_create_request{take<std::uint8_t>() % 8u, 0});
  case PEGASUS_CALL_EVENT_DESTROY:
  case PEGASUS_CALL_EVENT_QUERY:
  case PEGASUS_CALL_EVENT_SYNCHRONIZE:
    return make(call, pegasus_event_query_request{handle(event_)});
  case PEGASUS_CALL_EVENT_RECORD:
    return make(call, pegasus_event_record_request{handle(event_), handle(stream_)});
  case PEGASUS_CALL_EVENT_ELAPSED:
    return make(call, pegasus_event_elapsed_request{handle(event_), handle(event_)});
  case PEGASUS_CALL_CONTEXT_SET_LIMIT:
    return make(call, pegasus_context_set_limit_request{take<std::uint8_t>() % 8u, 0, number()});
  case PEGASUS_CALL_GRAPH_LAUNCH:
    return make(call, pegasus_graph_launch_request{handle(graph_), handle(stream_)});
  case PEGASUS_CALL_GRAPH_READY:
  case PEGASUS_CALL_GRAPH_DESTROY:
    return make(call, pegasus_graph_ready_request{handle(graph_)});
  case PEGASUS_CALL_CONTEXT_RESET: // seldom, so that most sequences go on
    if (take<std::uint8_t>() % 4 != 0) call = PEGASUS_CALL_CONTEXT_SYNCHRONIZE;
    [[fallthrough]];
  default: // CONTEXT_SYNCHRONIZE, GRAPH_CREATE
    return make(call, pegasus_context_synchronize_request{});
  }
}

} // namespace pegasus::fuzz
