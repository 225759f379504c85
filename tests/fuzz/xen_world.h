// SPDX-License-Identifier: Apache-2.0
// What guests' programs and an operator do in xenstore that is not as it should be, or need not be.
#pragma once

#include "domA/guests/xen/testing/fake_guest.h"
#include "tests/fuzz/input.h"

#include <cstdint>
#include <string_view>

namespace pegasus::fuzz {

using XenProgram = xen::testing::FakeProgram;

// `which`: of a few, some with keys that are not valid.
[[nodiscard]] XenProgram xen_program(std::uint32_t guest, std::uint32_t number, std::uint32_t which);

void ask_for_channel(XenProgram const& program); // of the least size, as an honest one does
void ask_for_channels(std::uint32_t guest, std::uint32_t number, unsigned programs);
void ask_for_totals(XenProgram const& program);
void ask_for_anything(XenProgram const& program, Input& input);
// Many programs ask at once, which have no pages.
void ask_in_a_burst(std::uint32_t guest, std::uint32_t number, unsigned programs);
void write_anything(XenProgram const& program, Input& input);
void write_setting(std::uint32_t guest, std::uint32_t number, Input& input);

} // namespace pegasus::fuzz
