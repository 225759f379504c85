// SPDX-License-Identifier: Apache-2.0
// Where the pages that a guest shares with pegasusd and their doorbells come from: local/ (memfd, futex),
// xen/ (grants, event channels). Chosen by what is present; the program is unchanged.
#pragma once

#include "frontend/protocol/channel.h"
#include "frontend/protocol/handshake.h"

#include <cstddef>
#include <cstdint>

namespace pegasus::frontend {

class Transport {
public:
  virtual ~Transport() = default;

  // connect_reply().channel_bytes long: a call buffer, or struct pegasus_totals, which can be read only.
  [[nodiscard]] virtual std::byte* memory() const = 0;
  [[nodiscard]] virtual pegasus_connect_reply const& connect_reply() const = 0;

  // Of the memory at PEGASUS_HOST_WINDOW that this process shares with its kernels; 0: they share none.
  [[nodiscard]] virtual std::uint64_t host_window_bytes() const { return 0; }

  // Wakes the sleepers on `word`, which has already changed: the worker on its own word, other threads of
  // this process on the guest's.
  virtual void wake(std::uint32_t* word) = 0;
  // Sleeps while *word == value, but not longer than `timeout_ns`.
  virtual void sleep(std::uint32_t* word, std::uint32_t value, std::uint64_t timeout_ns) = 0;
  // The process exits normally: the other side releases the channel before the process ends, or has had time
  // to do so. No call is answered afterwards.
  virtual void leave() = 0;
  // In a child of fork(): releases what keeps the parent's task alive. No other method may
  // be called afterwards.
  virtual void abandon() = 0;
  // The other side has hung up: no further call is answered.
  [[nodiscard]] virtual bool hung_up() = 0;
  // The program itself closed what connects it, for example with a loop over all files.
  [[nodiscard]] virtual bool closed_by_program() { return false; }
};

struct TransportError {
  int status;        // a CUresult
  char message[512]; // one sentence: what is wrong and what to do
};

// If it returns nullptr, `error` is filled. The object lives until the process ends.
Transport* open_transport(pegasus_connect_kind kind, TransportError& error);

} // namespace pegasus::frontend
