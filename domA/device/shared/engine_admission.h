// SPDX-License-Identifier: Apache-2.0
// pegasusd's side of the engine: who may be in its line, and who is its first.
#pragma once

#include "domA/device/shared/engine.h"

namespace pegasus::shared {

class EngineAdmission {
public:
  // The pages are zeroed, and must outlive this object.
  EngineAdmission(EngineAccess& access, SlotPages& pages) : access_(access), pages_(pages) {}

  // Before the gate of the slot's worker opens; slot < slot_count.
  void admit(std::uint32_t slot);
  void dismiss(std::uint32_t slot); // it has stopped
  // Its worker is dead. Before the slot is given to another.
  void leave(std::uint32_t slot);

  // Who holds the engine or is about to take it, of those who are admitted; nullopt: nobody.
  [[nodiscard]] std::optional<std::uint32_t> first() const;

  // Changes of the owner, and the time that they took. A worker can falsify its own.
  struct Switches {
    std::uint64_t count;
    Nanos time;
  };
  [[nodiscard]] Switches switches() const;

private:
  EngineAccess& access_;
  SlotPages& pages_;
  Switches of_the_dead_{0, Nanos{0}};
};

} // namespace pegasus::shared
