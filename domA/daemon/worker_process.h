// SPDX-License-Identifier: Apache-2.0
// One pegasus-avcpu process and the pages that pegasusd shares with it.
#pragma once

#include "base/unique_fd.h"
#include "domA/daemon/jailer.h"
#include "domA/gate/pages.h"
#include "domA/guests/shared_memory.h"
#include "domA/ring/request_ring.h"
#include "domA/worker/start.h"

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <sys/types.h>
#include <tl/expected.hpp>

namespace pegasus::daemon {

struct WorkerEnd {
  std::optional<int> status; // nullopt: it did not exit by itself
  std::string how;           // for the log
};

// Descriptors of what all workers of an accelerator map.
struct SharedFds {
  int engine, limits, slots, own_slot; // as in start.h
};

class WorkerProcess {
public:
  struct Spec {
    ring::Geometry geometry;
    guests::ChannelSource channel;
    std::uint32_t slot;
    std::uint64_t memory_bytes;
    worker::DeviceChoice device;
    SharedFds shared;
    ControlGroup const* group = nullptr; // its domain's group; nullptr: pegasusd's own
    int code_cache = -1;                 // its domain's, for a worker with a driver
  };
  // Makes the pages and starts the process. The error is a message.
  [[nodiscard]] static tl::expected<WorkerProcess, std::string>
  start(Jailer const& jailer, std::string const& program, Spec const& spec);

  WorkerProcess(WorkerProcess&& other) noexcept = default;
  WorkerProcess& operator=(WorkerProcess&&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] int pidfd() const { return pidfd_.get(); } // readable when the process has ended
  void kill() const;
  // Call after pidfd() became readable: reaps it and returns how it ended.
  [[nodiscard]] WorkerEnd reap() const;
  // Reaps it if it ends in time. Returns false if it does not.
  [[nodiscard]] bool reap_until(std::chrono::steady_clock::time_point when) const;

  [[nodiscard]] int kick_fd() const { return kick_.get(); }  // an eventfd, for the scheduling loop
  [[nodiscard]] int output() const { return output_.get(); } // a pipe: its standard output and error
  [[nodiscard]] gate::GatePage& gate() const { return gate_.as<gate::GatePage>(); }
  [[nodiscard]] std::span<std::byte const> report() const { return {report_.data(), report_.size()}; }
  [[nodiscard]] gate::UsagePage const& usage() const { return usage_.as<gate::UsagePage const>(); }

private:
  WorkerProcess() = default;
  guests::SharedMemory gate_, usage_, report_;
  base::UniqueFd kick_;
  base::UniqueFd output_;
  base::UniqueFd pidfd_;
  pid_t pid_ = -1;
};

} // namespace pegasus::daemon
