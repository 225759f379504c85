// SPDX-License-Identifier: Apache-2.0
// pegasusd's command line and configuration file.
#pragma once

#include "domA/device/capabilities.h"
#include "domA/guests/local/identity.h"
#include "domA/guests/xen/guests.h"
#include "domA/worker/confinement.h"
#include "policies/registry.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace pegasus::daemon {

// For a domain whose promise cannot be kept now.
enum class Admission { refuse, wait };

struct Options {
  std::string directory;    // of control.sock and guest.sock
  policies::Tunables usual; // defaults of all policies
  policies::Choice policy{policies::find("eevdf"), {.hold = policies::automatic_hold}}; // at the start
  std::vector<std::string> policy_plugins; // files that were loaded
  std::string accelerator = "auto";        // auto, cuda, software
  std::vector<int> gpus;                   // which GPUs, as the driver counts them; empty: all
  int software_accelerators = 1;           // how many, if no GPU is used
  int software_multiprocessors = 1;        // that programs are told of
  std::string software_bounds = "exact";   // exact, gap
  std::string compute_capability{device::capabilities.front().name}; // of such an accelerator
  std::chrono::microseconds software_switch{0}; // what a change of such an accelerator's owner takes
  std::string cuda_driver = "libcuda.so.1";     // NVIDIA's
  std::string driver_files;                     // what it needs besides its own files, separated by colons
  std::uint32_t worker_users = 1'883'701'248;   // from the worker in the first slot on, if we are root
  std::chrono::microseconds slice{2000};        // kernels on a GPU that take longer are split; 0: never
  unsigned queued_launches = 2;                 // on a GPU for which other domains wait
  std::optional<std::uint64_t> memory_bytes;    // memory of each accelerator that domains may use
  std::uint64_t host_memory = 0;                // of a domain's workers together, unless set for the domain
  Admission admission = Admission::refuse;
  std::chrono::milliseconds runaway{
      10'000}; // a call that outlives its time slice by this is killed with its task
  std::chrono::milliseconds module_load{600'000};     // loading a module for longer ends its task
  std::optional<gid_t> socket_group;                  // group that may use guest.sock; else the umask decides
  local::DomainsBy domains = local::DomainsBy::named; // what determines a local program's domain
  local::CgroupRules cgroup_rules = local::CgroupRules::usual();
  int ready_fd = -1;
  bool private_to_parent = false;
  worker::Confinement confinement = worker::Confinement::all;
  xen::GuestLimits guest_limits;
  std::string guest_rules = "/etc/pegasus/guests.d";
  bool serve_xen = true;      // serve the guests of this Xen host, if it is one
  std::string worker_program; // pegasus-avcpu
};

// Exits with status 2 and a message on bad usage, 0 for --help and --version.
[[nodiscard]] Options parse_options(int argc, char** argv);

} // namespace pegasus::daemon
