// SPDX-License-Identifier: Apache-2.0
// What pegasusd passes to a pegasus-avcpu: descriptors at fixed numbers and, in the first of
// them, one struct of sizes.
#pragma once

#include "domA/device/memory/quota.h"
#include "domA/device/shared/engine.h"
#include "domA/guests/guest_link.h"
#include "domA/ring/request_ring.h"
#include "domA/worker/jail.h"

#include <cstdint>

namespace pegasus::worker {

enum Descriptor : int {
  start_fd = 3,     // a Start struct, read once
  channel_fd = 4,   // the guest task's call buffer, or what names it (ChannelSource)
  gate_fd = 5,      // GatePage, read-only
  usage_fd = 6,     // UsagePage
  engine_fd = 7,    // shared::EngineAccess, read-only
  limits_fd = 8,    // memory::QuotaLimits, read-only
  slots_fd = 9,     // shared::SlotPages, of all workers of the accelerator, read-only
  own_slot_fd = 10, // the same, for the page of its slot
  kick_fd = 11,     // eventfd: wakes pegasusd's scheduling loop
  code_fd = 12,     // cuda: machine code of the domain's programs (code_cache.h); code_cache_bytes
  doorbell_fd = 13, // xen: event channels; the worker opens it itself
  report_fd = 14,   // gate::report_bytes for what the worker answers to orders
  host_window_fd =
      15, // local: memory that the program and its kernels share; host_window_bytes of the channel
  descriptors_end = 16
};

inline constexpr std::size_t code_cache_bytes = std::size_t{64} << 20;

// Which accelerator, and how it is used.
struct DeviceChoice {
  std::uint32_t kind;               // index into device::kinds
  std::uint32_t queued_launches;    // on a GPU for which other domains wait
  std::uint8_t uuid[16];            // of the GPU
  char pci[16];                     // its address, 0000:1b:00.0; empty: not known
  std::uint64_t context_bytes;      // device memory that a context itself takes
  std::int64_t slice_ns;            // launches that take longer are split; 0: never
  std::int64_t module_load_ns;      // a module that takes longer to load ends the process; 0: none does
  std::int64_t switch_ns;           // on the software accelerator: what a change of its owner takes
  std::uint32_t forgives_gaps;      // on the software accelerator, of accesses behind an allocation: 0 or 1
  std::uint32_t compute_capability; // of the software accelerator: 75
  std::uint32_t group;     // whose members may open its device nodes, where not everybody may; 0: none
  char driver[256];        // the driver's library
  char driver_files[1024]; // files that it needs in addition, separated by colons (gpu_files.h)
};

// Enters the jail of the start block, and exits with 0 if a driver's threads can work there: pegasusd uses this to
// find what this machine allows.
inline constexpr char jail_argument[] = "--enter-jail";

// Exit status of a pegasus-avcpu.
struct Exit {
  static constexpr int no_context = 69;  // the accelerator gives no context
  static constexpr int not_started = 70; // what pegasusd passed is wrong
  static constexpr int broken_ring = 71; // the guest's call buffer is inconsistent
  static constexpr int too_long = 72;    // a module took longer to load than pegasusd allows
};

struct Start {
  ring::Geometry geometry;
  guests::ChannelSource channel; // without its descriptor, which is channel_fd
  std::uint32_t slot;            // among the workers of the accelerator
  std::uint64_t memory_bytes;    // the accelerator's memory
  DeviceChoice device;
  Jail jail;
};

} // namespace pegasus::worker
