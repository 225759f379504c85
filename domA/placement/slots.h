// SPDX-License-Identifier: Apache-2.0
// Who may have one of the accelerators' slots, which are few. The limits keep a domain or a user from taking
// them all, keep the last quarter for those who have none, and reserve one for the first program of each guest of
// Xen with an accelerator device. Pure.
#pragma once

#include "domA/device/shared/shared_pages.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pegasus::placement {

struct SlotRequest {
  static constexpr std::size_t per_domain = shared::slot_count / 4;
  static constexpr std::size_t per_user = shared::slot_count / 2;
  static constexpr std::size_t for_first_tasks = shared::slot_count / 4;

  std::string_view domain;
  std::uint32_t user = 0;
  bool names_itself = false;       // a program of the user says which domain it is in: the user counts
  bool of_guest = false;           // the domain is a guest of Xen
  std::size_t tasks_of_domain = 0; // those that it has already
  std::size_t tasks_of_user = 0;
  std::size_t taken = 0;            // by all
  std::size_t guests_that_wait = 0; // guests without a task, including this one: a slot is kept for each
};

// Returns why there is no slot and what to do, nullopt if there is one.
[[nodiscard]] std::optional<std::string> no_slot(SlotRequest const& request);

} // namespace pegasus::placement
