// SPDX-License-Identifier: Apache-2.0
// An engine's pages in this process, for tests.
#pragma once

#include "domA/device/shared/engine_admission.h"
#include "domA/device/shared/engine_order.h"

#include <initializer_list>
#include <memory>

namespace pegasus::shared::testing {

struct Engine {
  EngineAccess access{};
  std::unique_ptr<SlotPages> pages = std::make_unique<SlotPages>();
  EngineAdmission admission{access, *pages};

  Engine(std::initializer_list<std::uint32_t> admitted = {}) {
    for (std::uint32_t const slot : admitted)
      admission.admit(slot);
  }
  [[nodiscard]] EnginePlace& place(std::uint32_t slot) { return (*pages)[slot].place; }
  [[nodiscard]] EngineClient client(std::uint32_t slot, EngineTuning tuning = {},
                                    EngineGate* gate = nullptr) {
    return EngineClient(&access, pages.get(), &(*pages)[slot], slot, tuning, gate);
  }
  // Whoever takes a ticket after this returned true comes behind that slot.
  [[nodiscard]] bool has_ticket(std::uint32_t slot) { return place(slot).ticket.load() > taking_ticket; }
};

} // namespace pegasus::shared::testing
