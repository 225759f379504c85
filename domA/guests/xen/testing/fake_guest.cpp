// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/xen/testing/fake_guest.h"

#include "control/settings.h"
#include "domA/guests/xen/testing/fake_sharing.h"
#include "domA/guests/xen/testing/fake_store.h"

#include <cstring>
#include <fmt/core.h>
#include <iterator>
#include <numeric>

namespace pegasus::xen::testing {
namespace {

void write_node(std::string const& path, std::string const& value) { FakeStore::get().write(path, value); }
void write_number(std::string const& path, std::uint64_t value) { write_node(path, std::to_string(value)); }

} // namespace

std::string domain_of(std::uint32_t guest) { return fmt::format("/local/domain/{}", guest); }
std::string front_of(std::uint32_t guest, std::uint32_t number) {
  return fmt::format("{}/device/vaccel/{}", domain_of(guest), number);
}
std::string back_of(std::uint32_t guest, std::uint32_t number) {
  return fmt::format("{}/backend/vaccel/{}/{}", domain_of(0), guest, number);
}

void attach_device(std::uint32_t guest, std::uint32_t number, bool frontend_first) {
  FakeStore& store = FakeStore::get();
  std::string const front = front_of(guest, number), back = back_of(guest, number);
  if (!store.exists(domain_of(guest))) write_node(domain_of(guest) + "/name", fmt::format("guest-{}", guest));
  for (std::string const& directory : {front, back})
    if (store.exists(directory)) store.remove(directory);
  write_node(front + "/backend", back);
  write_number(front + "/state", PEGASUS_XEN_INITIALISING);
  if (frontend_first) write_node(back + "/frontend", front);
  write_number(back + "/frontend-id", guest);
  write_number(back + "/state", PEGASUS_XEN_INITIALISING);
  for (control::Setting const& setting : control::all_settings())
    if (!setting.node.name.empty())
      write_number(fmt::format("{}/{}", back, setting.node.name), setting.node.get({}));
  if (!frontend_first) write_node(back + "/frontend", front);
}

void destroy_domain(std::uint32_t guest) {
  FakeStore::get().remove(domain_of(guest));
  FakeGrants::get().revoke_all(guest);
  FakeEventChannels::get().close_all(guest);
  FakeStore::get().release_domain();
}

pegasus_xen_directory directory_for(FakeProgram const& program) {
  pegasus_xen_directory page{};
  page.connect_request = {.magic = PEGASUS_CONNECT_REQUEST_MAGIC,
                          .version = PEGASUS_PROTOCOL_VERSION,
                          .task = program.control,
                          .slots = PEGASUS_SLOTS_MIN,
                          .arena_bytes = PEGASUS_ARENA_MIN,
                          .kind = PEGASUS_CONNECT_TASK,
                          .oldest = PEGASUS_PROTOCOL_OLDEST,
                          .features = 0,
                          .reserved = {},
                          .program = "a program"};
  page.pages = least_pages;
  std::iota(std::begin(page.refs), std::end(page.refs), program.first_reference + 1);
  return page;
}

bool prepare(FakeProgram const& program, pegasus_xen_directory const& directory) {
  FakeGrants::get().grant_below(program.guest, references_granted);
  std::byte* const page = FakeGrants::get().page(program.guest, program.first_reference);
  std::byte* const header = FakeGrants::get().page(program.guest, program.first_reference + 1);
  if (page == nullptr || header == nullptr) return false;
  std::memcpy(page, &directory, sizeof directory);
  header[offsetof(pegasus_channel_header, guest_alive)] = std::byte{1};
  header[offsetof(pegasus_channel_header, host_alive)] = std::byte{1};
  FakeEventChannels::get().offer(program.guest, program.control);
  FakeEventChannels::get().offer(program.guest, program.control + 1);
  return true;
}

void ask(FakeProgram const& program) {
  write_number(program.node() + "/directory", program.first_reference);
  write_number(program.node() + "/control", program.control);
  write_number(program.node() + "/doorbell", program.control + 1);
  write_number(program.node() + "/state", PEGASUS_XEN_INITIALISED);
}

void leave(FakeProgram const& program) {
  std::byte* const header = FakeGrants::get().page(program.guest, program.first_reference + 1);
  if (header != nullptr) header[offsetof(pegasus_channel_header, guest_alive)] = std::byte{0};
  FakeEventChannels::get().ring(program.guest, program.control);
}

} // namespace pegasus::xen::testing
