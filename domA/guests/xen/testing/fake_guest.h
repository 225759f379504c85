// SPDX-License-Identifier: Apache-2.0
// What a toolstack and a guest's program write for a device, in the fakes beside this file.
#pragma once

#include "frontend/protocol/xen.h"

#include <cstdint>
#include <string>

namespace pegasus::xen::testing {

inline constexpr std::uint32_t references_granted = 4000; // by a guest that asks: all below
inline constexpr std::uint32_t least_pages = PEGASUS_XEN_CHANNEL_PAGES(PEGASUS_SLOTS_MIN, PEGASUS_ARENA_MIN);

[[nodiscard]] std::string domain_of(std::uint32_t guest);
[[nodiscard]] std::string front_of(std::uint32_t guest, std::uint32_t number);
[[nodiscard]] std::string back_of(std::uint32_t guest, std::uint32_t number);

// A toolstack gives a guest a device, with the default settings, in the order of libxl or with its frontend first.
// The guest is made if there is none, and what is left of such a device is removed.
void attach_device(std::uint32_t guest, std::uint32_t number, bool frontend_first = false);
void destroy_domain(std::uint32_t guest);

struct FakeProgram { // one that asks for a channel
  std::uint32_t guest, number;
  std::string key;
  std::uint32_t first_reference; // of its directory page; the call buffer's follow
  std::uint32_t control;         // port; the doorbell's is the next one

  [[nodiscard]] std::string node() const { return front_of(guest, number) + "/tasks/" + key; }
  [[nodiscard]] std::string answer() const { return back_of(guest, number) + "/tasks/" + key; }
};

// The directory page for a channel of the least size.
[[nodiscard]] pegasus_xen_directory directory_for(FakeProgram const& program);
// Fills the pages and binds the ports. False if there is no room for the pages.
bool prepare(FakeProgram const& program, pegasus_xen_directory const& directory);
void ask(FakeProgram const& program);   // after prepare()
void leave(FakeProgram const& program); // as the guest's kernel does when the process ends

} // namespace pegasus::xen::testing
