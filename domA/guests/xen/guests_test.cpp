// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/xen/guests.h"

#include "domA/guests/xen/nodes.h"
#include "domA/guests/xen/testing/fake_guest.h"
#include "domA/guests/xen/testing/fake_sharing.h"
#include "domA/guests/xen/testing/fake_store.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <map>
#include <set>

using namespace pegasus;
using namespace pegasus::xen;
using namespace pegasus::xen::testing;

namespace {

// Admits all. A worker ends when the test says so.
class AdmittingHost final : public GuestsHost {
public:
  void set_guest(std::uint32_t guest, std::string const&, control::Settings const&) override {
    guests.insert(guest);
  }
  void forget_guest(std::uint32_t guest) override { guests.erase(guest); }
  void report(std::string const&) override {}
  tl::expected<pegasus_connect_reply, guests::Rejection>
  admit(std::uint32_t, guests::ConnectRequest const& connect_request, guests::Peer const&,
        std::shared_ptr<guests::GuestLink> link) override {
    auto const channel =
        link->make_channel(ring::geometry_for(connect_request.slots, connect_request.arena_bytes), 0);
    if (!channel) return tl::unexpected(guests::Rejection{ENOMEM, channel.error()});
    pegasus_connect_reply connect_reply = guests::make_connect_reply();
    connect_reply.task = next_;
    links.emplace(next_++, std::move(link));
    return connect_reply;
  }
  void guest_left(std::uint32_t task) override { left.insert(task); }
  void detached(std::uint32_t task) override { lost_device.insert(task); }

  void end_worker(std::uint32_t task) {
    links.at(task)->close(PEGASUS_CLOSE_GUEST_LEFT);
    links.erase(task);
  }

  std::set<std::uint32_t> guests, left, lost_device;
  std::map<std::uint32_t, std::shared_ptr<guests::GuestLink>> links; // by task

private:
  std::uint32_t next_ = 0;
};

struct XenHostFixture {
  XenHostFixture() : guests(Guests::open(host, {}).value()) { settle(); }
  ~XenHostFixture() {
    guests->stop();
    for (auto const& [task, link] : host.links)
      link->close(PEGASUS_CLOSE_SHUTDOWN);
    host.links.clear();
    guests.reset();
    FakeStore::get().reset();
    FakeGrants::get().reset();
    FakeEventChannels::get().reset();
  }
  void settle() {
    while (guests->read_store() || FakeStore::get().fired() != 0)
      ;
    while (FakeEventChannels::get().pending())
      (void)guests->read_events();
  }
  static void run(FakeProgram const& program) {
    REQUIRE(prepare(program, directory_for(program)));
    ask(program);
  }
  static std::string state(std::string const& directory) {
    return FakeStore::get().read(directory + "/state").value_or("none");
  }

  AdmittingHost host;
  std::unique_ptr<Guests> guests;
};

constexpr std::uint32_t guest = 7;
constexpr std::size_t own_watches = 2; // on the backend's directory and on domains that end
FakeProgram const program{.guest = guest, .number = 0, .key = "a", .first_reference = 1, .control = 1};

} // namespace

TEST_CASE_METHOD(XenHostFixture, "a program of a guest gets a channel, and all of it is given back") {
  attach_device(guest, 0);
  settle();
  CHECK(state(back_of(guest, 0)) == "4");
  run(program);
  settle();
  CHECK(state(program.answer()) == "4");
  CHECK(FakeGrants::get().mapped(guest) == 1); // the header
  leave(program);
  settle();
  CHECK(host.left.contains(0));
  host.end_worker(0);
  CHECK(FakeGrants::get().mapped(guest) == 0);
  CHECK(FakeEventChannels::get().bound(guest) == 0);
  CHECK_FALSE(FakeStore::get().exists(program.node()));
  CHECK_FALSE(FakeStore::get().exists(program.answer()));
}

TEST_CASE_METHOD(XenHostFixture,
                 "a device that is attached while a worker of the last one ends is served then") {
  std::uint32_t const number = GENERATE(0u, 1u); // the same device, or another one
  attach_device(guest, 0);
  settle();
  run(program);
  settle();
  FakeStore::get().write(back_of(guest, 0) + "/state", "5");
  settle();
  CHECK(state(back_of(guest, 0)) == "6");
  attach_device(guest, number);
  settle();
  host.end_worker(0);
  settle();
  CHECK(state(back_of(guest, number)) == "4");
  CHECK(host.guests.contains(guest));
  FakeProgram const next{.guest = guest, .number = number, .key = "b", .first_reference = 100, .control = 3};
  run(next);
  settle();
  CHECK(state(next.answer()) == "4");
}

TEST_CASE_METHOD(XenHostFixture, "nothing is left of a guest that is gone once its last worker has ended") {
  attach_device(guest, 0);
  settle();
  run(program);
  settle();
  destroy_domain(guest);
  settle();
  CHECK(host.lost_device.contains(0));
  host.end_worker(0);
  CHECK(FakeStore::get().watches() == own_watches);
  CHECK_FALSE(FakeStore::get().exists(back_of(guest, 0)));
}

TEST_CASE_METHOD(XenHostFixture,
                 "a program whose guest's device is taken away is told that, not that it left") {
  attach_device(guest, 0);
  settle();
  run(program);
  settle();
  FakeStore::get().write(back_of(guest, 0) + "/state", "5");
  settle();
  CHECK(host.lost_device.contains(0));
  CHECK(host.left.empty());
}

// As pegasusctl detach takes a device away.
TEST_CASE_METHOD(XenHostFixture,
                 "nothing is left of a second device that is taken away, and the first is served on") {
  attach_device(guest, 0);
  settle();
  attach_device(guest, 1);
  settle();
  CHECK(state(back_of(guest, 1)) == "6");
  FakeStore::get().remove(front_of(guest, 1));
  FakeStore::get().remove(back_of(guest, 1) + "/state");
  settle();
  CHECK_FALSE(FakeStore::get().exists(back_of(guest, 1)));
  CHECK(host.guests.contains(guest));
  run(program);
  settle();
  CHECK(state(program.answer()) == "4");
}

TEST_CASE_METHOD(XenHostFixture, "a backend that stops leaves its devices to the next one") {
  attach_device(guest, 0);
  settle();
  run(program);
  settle();
  guests->stop();
  host.end_worker(0);
  CHECK(state(back_of(guest, 0)) == "1");
}

TEST_CASE_METHOD(XenHostFixture, "a backend that stops leaves a device alone that is being taken away") {
  for (std::uint32_t const other : {guest, guest + 1})
    attach_device(other, 0);
  settle();
  FakeStore::get().write(back_of(guest, 0) + "/state", "5");
  FakeStore::get().remove(back_of(guest + 1, 0));
  guests->stop();
  CHECK(state(back_of(guest, 0)) == "5");
  CHECK(state(back_of(guest + 1, 0)) == "none");
}

TEST_CASE_METHOD(XenHostFixture,
                 "the answers to refused programs are bounded, those of the last pegasusd among them") {
  attach_device(guest, 0);
  for (std::size_t life = 0; life < 3; ++life) {
    for (std::size_t n = 0; n < RefusedTasks::most / 2; ++n) // with nothing but their state
      FakeStore::get().write(fmt::format("{}/tasks/{}-{}/state", front_of(guest, 0), life, n), "3");
    settle();
    guests->stop();
    guests.reset();
    guests = Guests::open(host, {}).value();
    settle();
  }
  CHECK(FakeStore::get().list(front_of(guest, 0) + "/tasks").empty());
  CHECK(FakeStore::get().list(back_of(guest, 0) + "/tasks").size() == RefusedTasks::most);
}

TEST_CASE_METHOD(XenHostFixture, "a guest is served in the newest version that it speaks") {
  std::uint32_t const version = GENERATE(1u, 2u, 9u);
  attach_device(guest, 0);
  settle();
  pegasus_xen_directory directory = directory_for(program);
  directory.connect_request.version = version;
  REQUIRE(prepare(program, directory));
  ask(program);
  settle();
  auto const page = [&](std::uint32_t number) {
    return FakeGrants::get().page(program.guest, program.first_reference + 1 + number);
  };
  std::uint32_t const chosen = std::min(version, PEGASUS_PROTOCOL_VERSION);
  CHECK(reinterpret_cast<pegasus_channel_header const*>(page(0))->version == chosen);
  auto const* const reply =
      reinterpret_cast<pegasus_connect_reply const*>(page(PEGASUS_XEN_CHANNEL_PAGES(PEGASUS_SLOTS_MIN, 0u)));
  CHECK(reply->magic == PEGASUS_CONNECT_REPLY_MAGIC);
  CHECK((reply->version == chosen && reply->features == 0));
}

TEST_CASE_METHOD(XenHostFixture, "a guest that a rule names has its accelerator from its creation on") {
  std::string directory = (std::filesystem::temp_directory_path() / "pegasus-rules-XXXXXX").string();
  REQUIRE(mkdtemp(directory.data()) != nullptr);
  std::ofstream(directory + "/web.toml") << "[[guest]]\nname = \"web\"\ncredits = 512\n"
                                            "[[guest]]\nuuid = \"6f0b\"\ncredits = 7\n";
  guests.reset();
  guests = Guests::open(host, {}, directory).value();
  auto const create = [this](std::uint32_t id, std::string const& name, std::string const& uuid) {
    FakeStore::get().write(domain_of(id) + "/name", name);
    FakeStore::get().write(domain_of(id) + "/vm", "/vm/" + uuid);
    FakeStore::get().introduce_domain();
    settle();
  };
  auto const credits = [](std::uint32_t id) { return FakeStore::get().read(back_of(id, 0) + "/credits"); };
  create(7, "web", "1");
  CHECK(credits(7) == "512");
  CHECK(host.guests.contains(7));
  CHECK(state(back_of(7, 0)) == "4");
  create(8, "db", "2");
  CHECK_FALSE(credits(8));
  create(9, "db--incoming", "6f0b");
  CHECK(credits(9) == "7");
  create(10, "web--incoming", "3");
  CHECK(credits(10) == "512");

  // Detached, it stays so; and a device of the toolstack's stays as it is.
  FakeStore::get().remove(front_of(7, 0));
  FakeStore::get().remove(back_of(7, 0) + "/state");
  settle();
  CHECK_FALSE(host.guests.contains(7));
  attach_device(11, 0);
  FakeStore::get().write(back_of(11, 0) + "/credits", "33");
  create(11, "web", "4");
  CHECK(credits(11) == "33");
  CHECK_FALSE(host.guests.contains(7));
  std::filesystem::remove_all(directory);
}
