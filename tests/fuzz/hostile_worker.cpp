// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/hostile_worker.h"

#include "frontend/protocol/calls.h"
#include "tests/fuzz/require.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace pegasus::fuzz {
namespace {

// CUdevice_attribute numbers of an ordinary device.
constexpr std::int32_t ordinary[][2] = {
    {1, 1024},    {2, 1024},   {3, 1024},     {4, 64},     {5, 0x7fffffff}, {6, 65535},  {7, 65535},
    {8, 49152},   {10, 32},    {12, 65536},   {16, 2},     {39, 1024},      {41, 1},     {75, 7},
    {76, 5},      {81, 65536}, {82, 65536},   {95, 1},     {97, 65536},     {106, 16},   {21, 131072},
    {22, 131072}, {23, 65536}, {24, 16384},   {25, 16384}, {26, 16384},     {27, 32768}, {28, 32768},
    {29, 2048},   {52, 32768}, {69, 1 << 28}, {73, 32768}, {74, 32768},     {77, 32768}};

template <class T> void put(pegasus_reply& reply, T const& value) {
  std::memcpy(reply.body, &value, sizeof value);
}

} // namespace

HostileWorker::HostileWorker(Input& input, std::uint64_t victim)
    : input_(input), victim_(victim),
      pages_(static_cast<std::byte*>(::operator new[](geometry_.total_bytes, std::align_val_t{4096}))) {
  std::fill_n(pages_.get(), geometry_.total_bytes, std::byte{});
  ring::initialize(pages_.get(), geometry_);
  header().worker_parked = 1; // the guest rings for each request
  connect_reply_.channel_bytes = geometry_.total_bytes;
  connect_reply_.slots = geometry_.slots;
  connect_reply_.arena_bytes = geometry_.arena_bytes;
  connect_reply_.device.memory_bytes = 1 << 30;
  connect_reply_.device.driver_version = 13000;
  for (auto const& [number, value] : ordinary)
    connect_reply_.device.attribute[number] = value;
}

void HostileWorker::lie_in_profile() {
  std::fill(std::begin(connect_reply_.device.name), std::end(connect_reply_.device.name), 'n');
  for (unsigned lies = input_.take<std::uint8_t>() % 8; lies > 0; --lies) {
    auto const number = input_.take<std::uint8_t>() % PEGASUS_ATTRIBUTES;
    connect_reply_.device.attribute[number] = input_.take<std::int32_t>();
  }
}

void HostileWorker::act() {
  auto* const requests = reinterpret_cast<pegasus_request*>(pages_.get() + geometry_.request_offset);
  for (;;) {
    pegasus_request const request = requests[expected_ % geometry_.slots];
    if (request.sequence != expected_) break;
    ++expected_;
    answer(request, input_.take<std::uint8_t>());
  }
  std::atomic_ref(header().worker_parked).fetch_or(1);
}

void HostileWorker::sleep(std::uint32_t*, std::uint32_t, std::uint64_t) {
  act();
  if (withheld_.sequence != 0 && !input_.empty()) {
    pegasus_request const late = withheld_;
    withheld_ = {};
    return answer(late, input_.take<std::uint8_t>());
  }
  hung_up_ = true;
}

std::span<std::byte> HostileWorker::data_of(pegasus_request const& request) const {
  std::span const arena(pages_.get() + geometry_.arena_offset, geometry_.arena_bytes);
  if (request.data_offset > arena.size() || request.data_bytes > arena.size() - request.data_offset)
    return {}; // this worker may have overwritten the guest's slot
  return arena.subspan(request.data_offset, request.data_bytes);
}

void HostileWorker::write_to(std::span<std::byte> bytes) {
  if (bytes.empty()) return;
  auto const part = bytes.subspan(input_.take<std::uint32_t>() % bytes.size());
  auto const lie = input_.take_bytes(std::min<std::size_t>(part.size(), input_.take<std::uint8_t>()));
  std::copy(lie.begin(), lie.end(), part.begin());
}

void HostileWorker::answer(pegasus_request const& request, unsigned choices) {
  pegasus_reply reply{};
  fill_in(request, data_of(request), reply);
  if ((choices & name_victim) != 0)
    put(reply, victim_ + static_cast<std::uint64_t>(input_.take<std::int8_t>()));
  if ((choices & other_status) != 0) reply.status = input_.take<std::int32_t>();
  if ((choices & other_flags) != 0) reply.flags = input_.take<std::uint8_t>();
  if ((choices & other_body) != 0) {
    auto const at = input_.take<std::uint8_t>() % sizeof reply.body;
    auto const lie = input_.take_bytes(std::min<std::size_t>(sizeof reply.body - at, 8));
    std::copy(lie.begin(), lie.end(), reinterpret_cast<std::byte*>(reply.body) + at);
  }
  if ((choices & other_data) != 0) write_to(data_of(request));
  if ((choices & write_header) != 0)
    write_to(std::as_writable_bytes(std::span(&header().completed, 3))); // and the two words after it
  if ((choices & write_anywhere) != 0) write_to({pages_.get(), geometry_.total_bytes});
  if ((choices & no_answer) != 0) {
    withheld_ = request;
    return;
  }
  auto* const replies = reinterpret_cast<pegasus_reply*>(pages_.get() + geometry_.reply_offset);
  pegasus_reply& slot = replies[request.sequence % geometry_.slots];
  reply.sequence = 0;
  slot = reply;
  std::atomic_ref(slot.sequence).store(request.sequence);
  if ((choices & write_header) == 0) std::atomic_ref(header().completed).store(request.sequence);
}

void HostileWorker::fill_in(pegasus_request const& request, std::span<std::byte> data, pegasus_reply& reply) {
  switch (request.call) {
  case PEGASUS_CALL_MEMORY_ALLOCATE: {
    pegasus_memory_allocate_request asked;
    std::memcpy(&asked, request.body, sizeof asked);
    put(reply, pegasus_memory_allocate_reply{next_address_});
    next_address_ += (asked.bytes % (1 << 30) + 511) / 256 * 256;
    return;
  }
  case PEGASUS_CALL_MODULE_GLOBAL:
    put(reply, pegasus_module_global_reply{next_address_, 16});
    next_address_ += 256;
    return;
  case PEGASUS_CALL_MODULE_FUNCTION: {
    constexpr pegasus_parameter parameters[] = {{0, 4}, {8, 8}};
    pegasus_module_function_reply function{};
    function.function = next_++;
    function.parameter_bytes = 16;
    function.parameter_count = 2;
    function.max_threads_per_block = 1024;
    function.registers = 32;
    function.max_dynamic_shared_bytes = 48 * 1024;
    if (data.size() >= sizeof parameters) {
      function.parameters_written = 2;
      std::memcpy(data.data(), parameters, sizeof parameters);
    }
    return put(reply, function);
  }
  case PEGASUS_CALL_MEMORY_RANGE:
    reply.status = 500; // CUDA_ERROR_NOT_FOUND
    return;
  case PEGASUS_CALL_MODULE_LOAD:
  case PEGASUS_CALL_STREAM_CREATE:
  case PEGASUS_CALL_EVENT_CREATE:
  case PEGASUS_CALL_GRAPH_CREATE:
    return put(reply, next_++);
  default:
    return;
  }
}

frontend::RingChannel open_channel(HostileWorker& worker) {
  auto const layout = frontend::layout_of(worker.memory(), worker.connect_reply());
  require(layout.has_value());
  return {worker, *layout};
}

} // namespace pegasus::fuzz
