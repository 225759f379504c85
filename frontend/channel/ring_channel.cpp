// SPDX-License-Identifier: Apache-2.0
#include "frontend/channel/ring_channel.h"

#include "base/clock.h"
#include "frontend/channel/bulk_copy.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace pegasus::frontend {
namespace {

constexpr int cuda_invalid_value = 1;

} // namespace

RingChannel::RingChannel(Transport& transport, Layout const& layout)
    : transport_(transport), requests_(transport, layout) {}

int RingChannel::call_bytes(std::uint16_t call, Bytes request, WritableBytes reply_body, Bytes in,
                            WritableBytes out) {
  std::size_t const data_bytes = std::max(in.size(), out.size());
  if (data_bytes > max_data_bytes()) return cuda_invalid_value;
  std::uint64_t const start = base::monotonic_ns();
  Reservation reservation;
  if (!requests_.send({.call = call, .body = request, .data_bytes = data_bytes, .expects_reply = true},
                      reservation,
                      [in](WritableBytes data) { std::copy(in.begin(), in.end(), data.begin()); }))
    return requests_.dead_status();
  pegasus_reply reply{};
  if (!requests_.await(reservation, reply)) return requests_.dead_status();
  std::copy_n(reservation.data.begin(), out.size(), out.begin());
  requests_.release(reservation);
  std::copy_n(reinterpret_cast<std::byte const*>(reply.body), reply_body.size(), reply_body.begin());
  requests_.statistics().count_latency(base::monotonic_ns() - start);
  handle_flags(reply.flags);
  return reply.status;
}

int RingChannel::post_bytes(std::uint16_t call, Bytes request, Bytes tail) {
  // Only the parameters of a launch, also of a launch in a graph, may follow inline: its request
  // holds their size.
  bool const is_launch = call == PEGASUS_CALL_LAUNCH || call == PEGASUS_CALL_GRAPH_ADD;
  bool const fits_inline = is_launch && request.size() + tail.size() <= PEGASUS_REQUEST_BODY;
  Bytes const data = fits_inline ? Bytes{} : tail;
  if (data.size() > max_data_bytes()) return cuda_invalid_value;
  Reservation reservation;
  bool const sent = requests_.send(
      {.call = call, .body = request, .tail = fits_inline ? tail : Bytes{}, .data_bytes = data.size()},
      reservation, [data](WritableBytes space) { std::copy(data.begin(), data.end(), space.begin()); });
  return sent ? 0 : requests_.dead_status();
}

int RingChannel::write_device(std::uint64_t stream, DeviceRows target, std::byte const* source,
                              std::uint64_t source_pitch, std::uint64_t row_bytes, std::uint64_t rows) {
  return copy_to_device(requests_, stream, target, source, source_pitch, row_bytes, rows);
}

int RingChannel::read_device(std::uint64_t stream, std::byte* target, std::uint64_t target_pitch,
                             DeviceRows source, std::uint64_t row_bytes, std::uint64_t rows) {
  std::uint32_t flags = 0;
  int const status =
      copy_from_device(requests_, stream, target, target_pitch, source, row_bytes, rows, flags);
  handle_flags(flags);
  return status;
}

int RingChannel::load_module(Bytes image, std::uint32_t image_kind, std::uint64_t& module) {
  pegasus_module_begin_reply begun{};
  int status = call(pegasus_module_begin_request{image.size(), image_kind, 0}, begun);
  for (std::size_t offset = 0; status == 0 && offset < image.size();) {
    std::size_t const bytes = std::min(piece_limit(requests_), image.size() - offset);
    status = post(pegasus_module_data_request{offset}, image.subspan(offset, bytes));
    offset += bytes;
  }
  if (status != 0) return status;
  pegasus_module_load_reply loaded{};
  status = call(pegasus_module_load_request{}, loaded);
  module = loaded.module;
  return status;
}

void RingChannel::handle_flags(std::uint32_t reply_flags) {
  if ((reply_flags & PEGASUS_REPLY_OUTPUT_PENDING) != 0) print_output();
}

// Device printf goes to the program's own stdout buffer: its order with the program's output is then the same
// as in CUDA.
void RingChannel::print_output() {
  std::lock_guard lock(output_mutex_);
  std::byte text[8192];
  std::size_t const room = std::min(sizeof text, max_data_bytes());
  pegasus_output_read_request const body{};
  OutgoingRequest const request{
      .call = PEGASUS_CALL_OUTPUT_READ, .body = as_bytes_of(body), .data_bytes = room, .expects_reply = true};
  for (;;) {
    pegasus_output_read_reply answer{};
    Reservation reservation;
    pegasus_reply reply{};
    if (!requests_.send(request, reservation) || !requests_.await(reservation, reply)) return;
    std::copy_n(reservation.data.begin(), room, text);
    requests_.release(reservation);
    std::memcpy(&answer, reply.body, sizeof answer);
    if (answer.bytes == 0 || answer.bytes > room) return;
    std::fwrite(text, 1, answer.bytes, answer.kind == 1 ? stdout : stderr);
  }
}

} // namespace pegasus::frontend
