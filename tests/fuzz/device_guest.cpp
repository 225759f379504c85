// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/device_guest.h"

#include "tests/fuzz/device_images.h"
#include "tests/fuzz/require.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace pegasus::fuzz {
namespace {

// Sizes, counts and pitches that work, that do not work, and the limits between them.
constexpr std::uint64_t numbers[] = {
    0,    1,     2,     4,       8,       31,         32,         64,         255,        256,         512,
    4096, 16384, 65536, 1 << 20, 4 << 20, 1ull << 31, 1ull << 32, 1ull << 40, 1ull << 63, ~0ull - 255, ~0ull};

} // namespace

std::uint64_t DeviceGuest::number() {
  auto const choice = take<std::uint8_t>();
  if (choice < 160) return choice % 160u;
  if (choice < 250) return numbers[choice % std::size(numbers)];
  return take<std::uint64_t>();
}

std::uint64_t DeviceGuest::handle(Kind kind) {
  auto const choice = take<std::uint8_t>();
  switch (choice / 32) {
  case 0:
    return choice % 4 == 0 ? take<std::uint64_t>() : choice % 4 == 1 ? foreign_.handle : 0;
  case 1:
    kind = static_cast<Kind>(choice % kinds);
    break;
  default:
    break;
  }
  return one_of(kind, choice).handle;
}

// One that the guest was given, if there is any.
DeviceGuest::Known const& DeviceGuest::one_of(Kind kind, unsigned choice) const {
  return known_[kind][choice % std::clamp<std::size_t>(given_[kind], 1, kept)];
}

std::uint64_t DeviceGuest::address() {
  auto const choice = take<std::uint8_t>();
  if (choice >= 250) return take<std::uint64_t>();
  if (choice >= 240) return foreign_.address + take<std::uint8_t>();
  Piece const& piece = memory_[choice % std::clamp<std::size_t>(pieces_, 1, kept)];
  return choice < 160 ? piece.address : piece.address + number();
}

// Mostly where something may be mapped.
std::uint64_t DeviceGuest::reserved_address() {
  auto const choice = take<std::uint8_t>();
  if (choice >= 240) return address();
  Piece const& piece = reserved_[choice % std::clamp<std::size_t>(reservations_, 1, kept)];
  return piece.address + choice / 8 % 8 * std::uint64_t{PEGASUS_MAPPING_GRANULE};
}

void DeviceGuest::step() {
  auto const choice = take<std::uint8_t>();
  if (choice % 16 == 0) return load();
  if (choice % 32 == 4) return place();
  Made made;
  switch (choice % 16) {
  case 1:
    made = any_request();
    break;
  case 2: // the newer calls
    made = typed(static_cast<std::uint16_t>(38 + choice / 16 % 3));
    break;
  case 4:
  case 5: // what is reserved, created and mapped
    made = typed(static_cast<std::uint16_t>(PEGASUS_CALL_ADDRESSES_RESERVE + choice / 16 % 7));
    break;
  case 6:
    made = typed(static_cast<std::uint16_t>(PEGASUS_CALL_ARRAY_CREATE + choice / 16 % 6));
    break;
  case 3: // without these two, nothing is executed
    made = typed(choice / 16 % 2 != 0 ? PEGASUS_CALL_MODULE_FUNCTION : PEGASUS_CALL_LAUNCH);
    break;
  default:
    made = typed(static_cast<std::uint16_t>(1 + choice % 37));
    break;
  }
  send(made);
}

void DeviceGuest::load() {
  DeviceImage image = make_image(input_);
  pegasus_module_begin_reply begun{};
  (void)task_.ask(PEGASUS_CALL_MODULE_BEGIN, pegasus_module_begin_request{image.bytes.size(), image.kind, 0},
                  begun);
  std::span<std::byte> const bytes(image.bytes);
  std::size_t const half = bytes.size() / 2;
  for (std::size_t const offset : {std::size_t{0}, half}) {
    auto const part = offset == 0 ? bytes.first(half) : bytes.subspan(half);
    pegasus_module_data_request const request{offset};
    task_.post(PEGASUS_CALL_MODULE_DATA, request, part);
  }
  Made made = make(PEGASUS_CALL_MODULE_LOAD, pegasus_module_load_request{});
  send(made);
}

void DeviceGuest::place() {
  auto const choice = take<std::uint8_t>();
  std::uint64_t const bytes = (1 + choice % 2) * std::uint64_t{PEGASUS_MAPPING_GRANULE};
  Made made;
  if (reservations_ == 0 || choice % 8 == 7) {
    made = make(PEGASUS_CALL_ADDRESSES_RESERVE, pegasus_addresses_reserve_request{4 * bytes, 0, 0});
    send(made);
  }
  made = make(PEGASUS_CALL_PHYSICAL_CREATE, pegasus_physical_create_request{bytes});
  send(made);
  std::uint64_t const memory =
      known_[physical_][(given_[physical_] + (choice < 200 ? kept - 1 : choice)) % kept].handle;
  std::uint64_t const address = reserved_address();
  made = make(PEGASUS_CALL_MEMORY_MAP, pegasus_memory_map_request{memory, address, bytes});
  send(made);
  made = make(PEGASUS_CALL_MEMORY_SET_ACCESS, pegasus_memory_set_access_request{address, bytes, 3, 0});
  send(made);
}

void DeviceGuest::send(Made& made) {
  made.request.data_bytes = static_cast<std::uint32_t>(made.data.size());
  made.data.insert(made.data.begin(), std::byte{}); // an empty range of the arena has an address too
  made.data.shrink_to_fit();                        // and the sanitizer reports an access beyond it
  std::span<std::byte> const data = std::span(made.data).subspan(1);
  avcpu::CallResult const answer = task_.call(made.request, data, Gate(take<std::uint8_t>() % 4 == 3));
  made.data.erase(made.data.begin());
  if (answer.expected && answer.status == device::Status::success) note(made, answer);
}

void DeviceGuest::note(Made const& made, avcpu::CallResult const& answer) {
  auto const keep = [&](Kind kind, std::vector<pegasus_parameter> parameters = {}) {
    std::uint64_t handle = 0;
    std::memcpy(&handle, answer.body, sizeof handle);
    require(handle != 0);
    known_[kind][given_[kind]++ % kept] = {handle, std::move(parameters)};
  };
  switch (made.request.call) {
  case PEGASUS_CALL_MODULE_LOAD:
    return keep(module_);
  case PEGASUS_CALL_STREAM_CREATE:
    return keep(stream_);
  case PEGASUS_CALL_EVENT_CREATE:
    return keep(event_);
  case PEGASUS_CALL_GRAPH_CREATE:
    return keep(graph_);
  case PEGASUS_CALL_PHYSICAL_CREATE:
    return keep(physical_);
  case PEGASUS_CALL_TEXTURE_CREATE:
    return keep(texture_);
  case PEGASUS_CALL_SURFACE_CREATE:
    return keep(surface_);
  case PEGASUS_CALL_ARRAY_CREATE:
    return note_array(made, answer);
  case PEGASUS_CALL_ADDRESSES_RESERVE:
  case PEGASUS_CALL_MEMORY_MAP:
  case PEGASUS_CALL_MEMORY_SET_ACCESS:
    return note_addresses(made, answer);
  case PEGASUS_CALL_MODULE_FUNCTION: {
    pegasus_module_function_reply reply;
    std::memcpy(&reply, answer.body, sizeof reply);
    std::vector<pegasus_parameter> parameters(reply.parameters_written);
    require(parameters.size() * sizeof parameters[0] <= made.data.size());
    if (!parameters.empty())
      std::memcpy(parameters.data(), made.data.data(), parameters.size() * sizeof parameters[0]);
    return keep(function_, std::move(parameters));
  }
  case PEGASUS_CALL_MODULE_GLOBAL: {
    pegasus_module_global_reply reply;
    std::memcpy(&reply, answer.body, sizeof reply);
    require(reply.bytes != 0);
    memory_[pieces_++ % kept] = {reply.address, reply.bytes};
    return;
  }
  case PEGASUS_CALL_MEMORY_ALLOCATE: {
    pegasus_memory_allocate_request request;
    pegasus_memory_allocate_reply reply;
    std::memcpy(&request, made.request.body, sizeof request);
    std::memcpy(&reply, answer.body, sizeof reply);
    memory_[pieces_++ % kept] = {reply.address, request.bytes};
    if (task_.has_honest_device()) check_fresh({reply.address, request.bytes});
    return;
  }
  default:
    return;
  }
}

void DeviceGuest::note_addresses(Made const& made, avcpu::CallResult const& answer) {
  if (made.request.call == PEGASUS_CALL_ADDRESSES_RESERVE) {
    pegasus_addresses_reserve_request request;
    pegasus_addresses_reserve_reply reply;
    std::memcpy(&request, made.request.body, sizeof request);
    std::memcpy(&reply, answer.body, sizeof reply);
    require(reply.address % PEGASUS_MAPPING_GRANULE == 0);
    reserved_[reservations_++ % kept] = {reply.address, request.bytes};
  } else if (made.request.call == PEGASUS_CALL_MEMORY_MAP) {
    pegasus_memory_map_request request;
    std::memcpy(&request, made.request.body, sizeof request);
    mapped_[mappings_++ % kept] = {request.address, request.bytes};
  } else { // now copies and kernels may use it
    pegasus_memory_set_access_request request;
    std::memcpy(&request, made.request.body, sizeof request);
    if (request.access != 0) memory_[pieces_++ % kept] = {request.address, request.bytes};
  }
}

// New memory must not contain data of its previous owner.
void DeviceGuest::check_fresh(Piece const& piece) {
  pegasus_memory_range_reply range{};
  require(task_.ask(PEGASUS_CALL_MEMORY_RANGE, pegasus_memory_range_request{piece.address}, range) ==
          device::Status::success);
  require(range.base == piece.address && range.bytes == piece.bytes);
  std::vector<std::byte> bytes(std::min<std::uint64_t>(piece.bytes, 4096), std::byte{1});
  pegasus_copy_from_device_reply nothing{};
  pegasus_copy_from_device_request const request{0, piece.address, 0, bytes.size(), 1};
  // If it fails, ask again: the first call may have returned the failure of a posted call.
  if (task_.ask(PEGASUS_CALL_COPY_FROM_DEVICE, request, nothing, bytes) != device::Status::success)
    require(task_.ask(PEGASUS_CALL_COPY_FROM_DEVICE, request, nothing, bytes) == device::Status::success);
  require(std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; }));
}

} // namespace pegasus::fuzz
