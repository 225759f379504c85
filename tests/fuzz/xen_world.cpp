// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/xen_world.h"

#include "control/settings.h"
#include "domA/guests/xen/testing/fake_store.h"

#include <algorithm>
#include <fmt/format.h>

namespace pegasus::fuzz {
namespace {

using xen::testing::FakeStore;

constexpr std::uint32_t references_of_program = 40;
constexpr std::size_t max_value = 64;

std::string any_value(Input& input) {
  constexpr std::string_view values[] = {"3",  "4",          "5",          "6",  "", "03",
                                         " 3", "4294967295", "4294967296", "-1", "0"};
  auto const choice = input.take<std::uint8_t>() % 16u;
  if (choice < std::size(values)) return std::string(values[choice]);
  auto const bytes = input.take_bytes(input.take<std::uint8_t>() % max_value);
  return std::string(reinterpret_cast<char const*>(bytes.data()), bytes.size());
}

std::string key_of(std::uint32_t which) {
  switch (which % 8) {
  case 4:
    return std::string(64, 'k');
  case 5:
    return std::string(65, 'k'); // too long
  case 6:
    return "a@b";
  case 7:
    return "key-of_a-Task9";
  default:
    return std::to_string(which % 8);
  }
}

// One thing that is not as pegasusd wants it, or is wanted more rarely.
void mutate(pegasus_xen_directory& page, XenProgram const& program, Input& input) {
  pegasus_xen_connect_request& request = page.connect_request;
  auto const value = input.take<std::uint32_t>();
  std::uint32_t& reference = page.refs[value % xen::testing::least_pages];
  switch (input.take<std::uint8_t>() % 12) {
  case 0:
  case 1:
    request.kind = value;
    break;
  case 2:
    request.slots = value % 2 == 0 ? value : 1u << value % 13;
    break;
  case 3:
    request.arena_bytes = value;
    break;
  case 4: // more than one page of the directory
    request.arena_bytes = 4u << 20;
    page.pages = PEGASUS_XEN_CHANNEL_PAGES(PEGASUS_SLOTS_MIN, 4u << 20);
    page.next = program.first_reference + value % 4;
    break;
  case 5:
    page.pages = value % 64;
    break;
  case 6:
    page.next = value % xen::testing::references_granted;
    break;
  case 7:
    reference = input.take<std::uint32_t>();
    break;
  case 8:
    reference = page.refs[0];
    break;
  case 9:
    request.version += value;
    break;
  case 10: {
    auto const bytes = input.take_bytes(PEGASUS_NAME_BYTES);
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte*>(request.program));
    break;
  }
  default:
    request.task = value;
  }
}

} // namespace

XenProgram xen_program(std::uint32_t guest, std::uint32_t number, std::uint32_t which) {
  return {.guest = guest,
          .number = number,
          .key = key_of(which),
          .first_reference = 1 + references_of_program * which,
          .control = 1 + 2 * which};
}

void ask_for_channel(XenProgram const& program) {
  if (prepare(program, directory_for(program))) ask(program);
}

void ask_for_channels(std::uint32_t guest, std::uint32_t number, unsigned programs) {
  for (unsigned n = 0; n < programs; ++n)
    ask_for_channel(xen_program(guest, number, n));
}

void ask_for_totals(XenProgram const& program) {
  pegasus_xen_directory directory = directory_for(program);
  directory.connect_request.kind = PEGASUS_CONNECT_TOTALS;
  directory.pages = PEGASUS_XEN_TOTALS_PAGES;
  if (prepare(program, directory)) ask(program);
}

void ask_for_anything(XenProgram const& program, Input& input) {
  pegasus_xen_directory directory = directory_for(program);
  auto const what = input.take<std::uint8_t>();
  for (unsigned n = 0; n < what % 3u; ++n)
    mutate(directory, program, input);
  if (!prepare(program, directory)) return;
  ask(program); // the state is read later than what is written now
  constexpr std::string_view nodes[] = {"/directory", "/control", "/doorbell"};
  if (what / 4 % 4u < std::size(nodes))
    FakeStore::get().write(program.node() + std::string(nodes[what / 4 % 4u]), any_value(input));
}

void ask_in_a_burst(std::uint32_t guest, std::uint32_t number, unsigned programs) {
  for (unsigned n = 0; n < programs; ++n)
    FakeStore::get().write(fmt::format("{}/tasks/many-{}/state", xen::testing::front_of(guest, number), n),
                           "3");
}

void write_anything(XenProgram const& program, Input& input) {
  constexpr std::string_view nodes[] = {"/state", "/directory", "/control", "/doorbell", "", "/other"};
  auto const node = nodes[input.take<std::uint8_t>() % std::size(nodes)];
  FakeStore::get().write(program.node() + std::string(node), any_value(input));
}

void write_setting(std::uint32_t guest, std::uint32_t number, Input& input) {
  auto const all = control::all_settings();
  control::Setting const& setting = all[input.take<std::uint8_t>() % all.size()];
  if (setting.node.name.empty()) return;
  std::string const path = fmt::format("{}/{}", xen::testing::back_of(guest, number), setting.node.name);
  auto const choice = input.take<std::uint8_t>();
  if (choice % 4 == 0)
    FakeStore::get().remove(path);
  else
    FakeStore::get().write(path,
                           choice % 4 == 1 ? any_value(input) : std::to_string(input.take<std::uint16_t>()));
}

} // namespace pegasus::fuzz
