// SPDX-License-Identifier: Apache-2.0
// Where the pages of a call buffer and its doorbells come from: local/ (memfd, futex), xen/ (grants, event
// channels). Chosen by what is there, the program unchanged.
#pragma once

#include "frontend/protocol/channel.h"
#include "frontend/protocol/handshake.h"

#include <cstddef>
#include <cstdint>

namespace pegasus::frontend {

class Transport {
public:
  virtual ~Transport() = default;

  [[nodiscard]] virtual std::byte* memory() const = 0; // welcome().channel_bytes long
  [[nodiscard]] virtual pegasus_welcome const& welcome() const = 0;

  // Wakes whoever sleeps on `word` (already changed): the worker on its word, other threads of ours on the
  // guest's.
  virtual void wake(std::uint32_t* word) = 0;
  // Sleeps while *word == value, but not longer than `timeout_ns`.
  virtual void sleep(std::uint32_t* word, std::uint32_t value, std::uint64_t timeout_ns) = 0;
  // The process ends, and does so in order: the other side lets go of the channel before it does, or has had
  // a time for it. Nothing is answered afterwards.
  virtual void leave() = 0;
  // In a child of fork(): lets go of what keeps the parent's task alive. Nothing else may be called
  // afterwards.
  virtual void abandon() = 0;
  // The other side has hung up: nothing will be answered any more.
  [[nodiscard]] virtual bool hung_up() = 0;
};

struct TransportError {
  int status;        // a CUresult
  char message[512]; // one sentence: what is wrong and what to do
};

// Never returns nullptr without filling `error`. The object lives until the process ends.
Transport* open_transport(TransportError& error);

} // namespace pegasus::frontend
