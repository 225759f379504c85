// SPDX-License-Identifier: Apache-2.0
// How a worker and its guest wake each other: by futex within a machine, by event channel between domains.
#pragma once

#include <cstdint>

namespace pegasus::worker {

class Doorbell {
public:
  virtual ~Doorbell() = default;
  virtual void ring(std::uint32_t& word) = 0; // the guest sleeps on `word`, which has changed
  // Sleeps while `word` is `value`, until the guest rings; may return earlier.
  virtual void wait(std::uint32_t& word, std::uint32_t value) = 0;
};

class FutexDoorbell final : public Doorbell {
public:
  void ring(std::uint32_t& word) override;
  void wait(std::uint32_t& word, std::uint32_t value) override;
};

} // namespace pegasus::worker
