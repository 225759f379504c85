// SPDX-License-Identifier: Apache-2.0
// Channel over a RequestQueue: single calls, device output, modules; copies are those of bulk_copy.h.
#pragma once

#include "frontend/channel/channel.h"
#include "frontend/channel/request_queue.h"

#include <mutex>

namespace pegasus::frontend {

class RingChannel : public Channel {
public:
  RingChannel(Transport& transport, Layout const& layout); // of its memory
  ~RingChannel() = default;

  std::uint64_t host_window_bytes() const override { return transport_.host_window_bytes(); }
  pegasus_device_profile const& profile() const override { return transport_.connect_reply().device; }
  std::size_t max_data_bytes() const override { return requests_.max_data_bytes(); }
  int write_device(std::uint64_t stream, DeviceRows target, std::byte const* source,
                   std::uint64_t source_pitch, std::uint64_t row_bytes, std::uint64_t rows) override;
  int read_device(std::uint64_t stream, std::byte* target, std::uint64_t target_pitch, DeviceRows source,
                  std::uint64_t row_bytes, std::uint64_t rows) override;
  int load_module(Bytes image, std::uint32_t image_kind, std::uint64_t& module) override;

protected:
  int call_bytes(std::uint16_t call, Bytes request, WritableBytes reply, Bytes in,
                 WritableBytes out) override;
  int post_bytes(std::uint16_t call, Bytes request, Bytes tail) override;

private:
  void handle_flags(std::uint32_t reply_flags);
  void print_output();

  Transport& transport_;
  RequestQueue requests_;
  std::mutex output_mutex_;
};

} // namespace pegasus::frontend
