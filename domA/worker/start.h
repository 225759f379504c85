// SPDX-License-Identifier: Apache-2.0
// What pegasusd hands to a pegasus-avcpu: descriptors at fixed numbers and one struct of sizes on the first
// of them.
#pragma once

#include "domA/device/shared/engine.h"
#include "domA/device/shared/quota.h"
#include "domA/guests/guest_link.h"
#include "domA/ring/request_ring.h"
#include "domA/worker/jail.h"

#include <cstdint>

namespace pegasus::worker {

enum Descriptor : int {
  start_fd = 3,      // a Start struct, read once
  channel_fd = 4,    // the guest task's call buffer, or what names it (ChannelSource)
  gate_fd = 5,       // GatePage, read-only
  usage_fd = 6,      // UsagePage
  engine_fd = 7,     // shared::EnginePage, of all workers of the accelerator
  limits_fd = 8,     // shared::QuotaLimits, read-only
  claims_fd = 9,     // shared::QuotaClaims, read-only
  own_claim_fd = 10, // the same, for the page of its seat
  bell_fd = 11,      // eventfd: wakes pegasusd's scheduling loop
  doorbell_fd = 12,  // xen: event channels, which the worker opens itself
  descriptors_end = 13
};

// Which accelerator, and how it is used.
struct DeviceChoice {
  std::uint32_t kind;            // of device::kinds
  std::uint32_t queued_launches; // on a GPU that others wait for
  std::uint8_t uuid[16];         // of the GPU
  char pci[16];                  // its address, 0000:1b:00.0; empty: not known
  std::uint64_t context_bytes;   // device memory that a context itself takes
  std::int64_t slice_ns;         // launches that take longer are split; 0: none is
  char driver[256];              // the driver's library
  char driver_files[1024];       // that it needs besides, separated by colons (gpu_files.h)
};

// Enters the jail of the start block, and ends: pegasusd asks so what this machine lets it give.
inline constexpr char jail_argument[] = "--enter-jail";

// Of a pegasus-avcpu.
struct Exit {
  static constexpr int no_context = 69;  // the accelerator gives none
  static constexpr int not_started = 70; // something is wrong with what pegasusd handed over
  static constexpr int broken_ring = 71; // the guest's call buffer is inconsistent
};

struct Start {
  ring::Geometry geometry;
  guests::ChannelSource channel; // but for its descriptor, which is channel_fd
  std::uint32_t seat;            // on the engine, and among the claims
  std::uint64_t memory_bytes;    // the accelerator's memory
  DeviceChoice device;
  Jail jail;
};

} // namespace pegasus::worker
