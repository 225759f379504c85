// SPDX-License-Identifier: Apache-2.0
// The guest's end of the call buffer: fills request slots, collects replies. The fast path touches memory
// only; it makes a system call only when the worker sleeps or when this thread goes to sleep.
//
// Thread-safe: any thread may call; requests of one thread keep their order. Every status is a CUresult as
// int. Source of the rules: frontend/protocol/channel.h and PROTOCOL.md.
#pragma once

#include "frontend/channel/call_traits.h"
#include "frontend/protocol/channel.h"
#include "frontend/protocol/handshake.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace pegasus::frontend {

using Bytes = std::span<std::byte const>;
using WritableBytes = std::span<std::byte>;

// A 2D piece of device memory and of host memory: `rows` rows of `row_bytes`; pitches in bytes. rows
// == 1: plain.
struct DeviceRows {
  std::uint64_t address;
  std::uint64_t pitch;
};

class Channel {
public:
  // The process's channel, opened at the first call. On failure returns nullptr, sets `status`, and prints
  // the reason on stderr once. After fork() the child gets CUDA_ERROR_NOT_INITIALIZED, as CUDA defines.
  static Channel* get(int& status);

  // The accelerator's profile.
  virtual pegasus_device_profile const& profile() const = 0;

  // Of the memory at PEGASUS_HOST_WINDOW that this process shares with its kernels; 0: they share none.
  virtual std::uint64_t host_window_bytes() const { return 0; }

  // SYNC call. `in` goes to the worker, `out` comes back (the bytes the call defines); both at most
  // max_data_bytes(). The status may be that of an earlier posted call.
  template <class Request>
  int call(Request const& request, ReplyOf<Request>& reply, Bytes in = {}, WritableBytes out = {}) {
    static_assert(is_sync<Request>);
    return call_bytes(number_of<Request>, as_bytes_of(request), writable_bytes_of(reply), in, out);
  }

  // POSTED call. `tail` follows the request struct inline if it fits, otherwise it travels in the arena.
  template <class Request> int post(Request const& request, Bytes tail = {}) {
    static_assert(!is_sync<Request>);
    return post_bytes(number_of<Request>, as_bytes_of(request), tail);
  }

  // Adds the POSTED call to a graph instead of executing it now (GRAPH_ADD).
  template <class Request> int add_to_graph(std::uint64_t graph, Request const& request, Bytes tail = {}) {
    static_assert(!is_sync<Request>);
    pegasus_graph_add_request const add{graph, number_of<Request>, 0};
    std::array<std::byte, sizeof add + sizeof request> both;
    std::memcpy(both.data(), &add, sizeof add);
    std::memcpy(both.data() + sizeof add, &request, sizeof request);
    return post_bytes(PEGASUS_CALL_GRAPH_ADD, both, tail);
  }

  // Copies of any size, streamed through the arena. write_device returns when the host bytes may be reused;
  // the copy itself is posted. read_device returns when the bytes have arrived.
  virtual int write_device(std::uint64_t stream, DeviceRows target, std::byte const* source,
                           std::uint64_t source_pitch, std::uint64_t row_bytes, std::uint64_t rows) = 0;
  virtual int read_device(std::uint64_t stream, std::byte* target, std::uint64_t target_pitch,
                          DeviceRows source, std::uint64_t row_bytes, std::uint64_t rows) = 0;

  // Sends an image (MODULE_BEGIN, MODULE_DATA..., MODULE_LOAD).
  virtual int load_module(Bytes image, std::uint32_t image_kind, std::uint64_t& module) = 0;

  virtual std::size_t max_data_bytes() const = 0;

protected:
  ~Channel() = default;
  virtual int call_bytes(std::uint16_t call, Bytes request, WritableBytes reply, Bytes in,
                         WritableBytes out) = 0;
  virtual int post_bytes(std::uint16_t call, Bytes request, Bytes tail) = 0;
};

} // namespace pegasus::frontend
