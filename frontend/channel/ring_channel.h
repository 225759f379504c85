// SPDX-License-Identifier: Apache-2.0
// Channel over a Producer and a Transport: locking, hybrid-spin waiting, bulk streaming, device output.
#pragma once

#include "frontend/channel/channel.h"
#include "frontend/channel/producer.h"
#include "frontend/transport/transport.h"

#include <atomic>
#include <mutex>

namespace pegasus::frontend {

class RingChannel : public Channel {
public:
  RingChannel(Transport& transport, Layout const& layout); // of its memory
  ~RingChannel() = default;

  pegasus_device_profile const& profile() const override { return transport_.connect_reply().device; }
  std::size_t max_data_bytes() const override { return producer_.max_data_bytes(); }
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
  friend class ReadPipeline;

  // All three return false if the channel is dead. The caller holds mutex_ for reserve and submit.
  bool reserve(std::size_t data_bytes, Reservation& reservation);
  void submit(Reservation const& reservation, std::uint16_t call, Bytes request, Bytes tail,
              bool expects_reply);
  bool await(std::uint32_t sequence, pegasus_reply& reply);
  void release(std::uint32_t sequence);
  void wake_if_asleep(std::uint32_t& word);

  template <class Ready> bool wait_until(Ready ready);
  template <class Ready> bool poll_until(Ready ready);
  template <class Ready> bool park_until(Ready ready);
  [[nodiscard]] std::uint32_t worker_state() const;
  [[nodiscard]] bool polling_pays() const;
  void count_latency(std::uint64_t nanoseconds);
  int finish(pegasus_reply const& reply);
  void print_output();
  bool dead();
  int dead_status();

  Transport& transport_;
  Producer producer_;
  std::mutex mutex_;
  std::mutex output_mutex_;
  std::atomic<bool> waiting_for_space_ = false; // the holder of mutex_ sleeps until other threads release
  std::atomic<int> dead_status_ = 0;            // a CUresult once no further call is answered
};

} // namespace pegasus::frontend
