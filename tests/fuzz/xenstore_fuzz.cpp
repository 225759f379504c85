// SPDX-License-Identifier: Apache-2.0
// Guests of Xen, a toolstack and an operator, in any order: devices come and go, programs ask for channels with any
// nodes and pages, ring and end, domains die, workers end late or never, and watches fire late, again and in bursts. The
// backend's own code runs above a xenstore, grants and event channels in memory. XenRules and XenHost say what it may do.
// An honest guest keeps its task throughout, and when all guests are gone, nothing is left of them.
//
// Input: the limits (8 bits), then steps: what and of which (8 bits each), then what the step needs.
#include "domA/guests/xen/nodes.h"
#include "domA/guests/xen/testing/fake_sharing.h"
#include "domA/guests/xen/testing/fake_store.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/xen_host.h"
#include "tests/fuzz/xen_world.h"

#include <algorithm>
#include <fmt/format.h>

namespace {

using namespace pegasus;
using namespace pegasus::fuzz;
using namespace pegasus::xen::testing;

constexpr unsigned max_steps = 96;
constexpr std::uint32_t hostile_guests = 3; // 1 to 3
constexpr std::uint32_t honest = 9;
constexpr std::uint32_t guests_of_all[] = {1, 2, 3, honest};
constexpr unsigned max_rounds = 2000; // of a backend that has something to do
constexpr std::size_t max_waiting = 64;

xen::GuestLimits limits_of(std::uint8_t choice) {
  constexpr std::uint32_t tasks[] = {2, 4, 16, 3}, pages[] = {40, 64, 1200, 320};
  return {.tasks = tasks[choice % 4], .pages = pages[choice / 4 % 4]};
}

class Machine {
public:
  explicit Machine(Input& input)
      : input_(input), limits_(limits_of(input.take<std::uint8_t>())), host_(rules_, limits_) {
    start_backend();
  }

  void step() {
    auto const what = input_.take<std::uint8_t>();
    auto const which = input_.take<std::uint8_t>();
    XenProgram const program =
        xen_program(1 + which % hostile_guests, which / 4 % 8 == 0 ? 1 : 0, which / 32u);
    if (what % 32 < 8)
      of_toolstack(what % 8, program);
    else if (what % 32 < 20)
      of_guest(what % 32, program);
    else
      of_host(what % 32, program);
    check();
  }

  void end() {
    settle();
    host_.end_workers(XenHost::Of::left);
    settle();
    check_honest();
    for (std::uint32_t const guest : guests_of_all)
      destroy_domain(guest);
    settle();
    host_.end_workers(XenHost::Of::left);
    settle();
    check();
    require(host_.tasks() == 0);
    require(FakeStore::get().watches() == 2); // its own two
    for (std::uint32_t const guest : guests_of_all) {
      require(!host_.knows(guest));
      for (std::uint32_t const number : devices_of(guest)) // a toolstack removes what was closed for it
        require(number_at(back_of(guest, number) + "/state") == std::uint64_t{PEGASUS_XEN_CLOSED});
    }
    stop_backend();
  }

private:
  void start_backend() {
    rules_.allow_all();
    auto opened = xen::Guests::open(host_, limits_);
    require(opened.has_value());
    backend_ = std::move(*opened);
    attach_device(honest, 0, false);
    host_.toolstack_changed(honest);
    host_.answer(XenHost::Answer::admit, honest);
    settle();
    ask_for_channel(honest_program_);
    settle();
    check_honest();
  }

  void stop_backend() {
    rules_.allow_all();
    rules_.set_stopping(true);
    backend_->stop();
    rules_.set_stopping(false);
    host_.end();
    backend_.reset();
    check();
    require(FakeStore::get().watches() == 0);
  }

  // Its only program runs, with the settings that it was given.
  void check_honest() const {
    std::string const back = back_of(honest, 0);
    require(number_at(back + "/state") == std::uint64_t{PEGASUS_XEN_CONNECTED});
    require(number_at(honest_program_.answer() + "/state") == std::uint64_t{PEGASUS_XEN_CONNECTED});
    require(host_.tasks(honest) == 1 && host_.settings(honest) == control::Settings{});
  }

  void of_toolstack(unsigned what, XenProgram const& program) {
    FakeStore& store = FakeStore::get();
    std::string const back = back_of(program.guest, program.number);
    bool const there = store.exists(back);
    switch (what) {
    case 0:
    case 1: // the events of what was there before may still be on their way
      if (there || store.fired() != 0) recreated_.insert({program.guest, program.number});
      attach_device(program.guest, program.number, what == 1);
      break;
    case 2:
    case 3:
      if (there) write_setting(program.guest, program.number, input_);
      break;
    case 4:
      if (there) store.write(back + "/state", std::to_string(1 + input_.take<std::uint8_t>() % 6));
      break;
    case 5:
      if (there) store.remove(back + (input_.take<std::uint8_t>() % 2 == 0 ? "/state" : ""));
      break;
    case 6:
      store.write(domain_of(program.guest) + "/name",
                  input_.take<std::uint8_t>() % 2 == 0 ? "new" : "a \x1b name");
      break;
    default:
      if (store.exists(domain_of(program.guest))) destroy_domain(program.guest);
    }
    host_.toolstack_changed(program.guest);
  }

  void of_guest(unsigned what, XenProgram const& program) {
    FakeStore& store = FakeStore::get();
    if (!store.exists(front_of(program.guest, program.number))) return; // it may write nowhere else
    switch (what) {
    case 8:
      return ask_for_channel(program);
    case 9: // more than the limits allow, perhaps
      return ask_for_channels(program.guest, program.number, 5);
    case 10:
      return ask_for_totals(program);
    case 11:
      return ask_for_anything(program, input_);
    case 12:
      return leave(program);
    case 13:
      for (unsigned n = input_.take<std::uint8_t>() % 32; n > 0; --n) {
        FakeEventChannels::get().ring(program.guest, program.control);
        take_rings(1);
      }
      return;
    case 14:
      return void(store.remove(program.node()));
    case 15:
      return void(store.remove(front_of(program.guest, program.number) +
                               (input_.take<std::uint8_t>() % 4 == 0 ? "" : "/tasks")));
    case 16:
      return ask_in_a_burst(program.guest, program.number, input_.take<std::uint8_t>() % 128);
    default:
      return write_anything(program, input_);
    }
  }

  void of_host(unsigned what, XenProgram const& program) {
    switch (what) {
    case 20:
      return host_.end_worker(program.guest, input_.take<std::uint8_t>(), false);
    case 21:
      return host_.end_worker(program.guest, input_.take<std::uint8_t>(), true);
    case 22:
      return host_.answer(static_cast<XenHost::Answer>(input_.take<std::uint8_t>() % 3), honest);
    case 23:
      return FakeStore::get().fire_again(input_.take<std::uint8_t>());
    case 24:
      return void(pass(std::chrono::milliseconds(input_.take<std::uint8_t>() * 4)));
    case 25: {
      control::Settings settings;
      settings.credits = 1 + input_.take<std::uint16_t>();
      rules_.allow_guest(program.guest);
      rules_.set_changing(program.guest);
      host_.toolstack_changed(program.guest);
      (void)backend_->change(program.guest, settings);
      return rules_.set_changing(std::nullopt);
    }
    case 26:
      stop_backend();
      return start_backend();
    case 27:
      return settle();
    case 28:
      return take_rings(input_.take<std::uint8_t>());
    default:
      return void(take_events(input_.take<std::uint8_t>()));
    }
  }

  // The backend takes so many events, even if more have fired.
  bool take_events(std::size_t events) {
    FakeStore::get().deliver(events);
    bool const more = backend_->read_store();
    rules_.allow_none();
    FakeStore::get().deliver(FakeStore::all);
    return more;
  }

  void take_rings(unsigned rings) {
    for (; rings > 0 && FakeEventChannels::get().pending(); --rings)
      (void)backend_->read_events();
    rules_.allow_none();
  }

  bool pass(std::chrono::milliseconds time) {
    now_ += time;
    rules_.allow_all();
    bool const waits = backend_->start_waiting(now_).has_value();
    rules_.allow_none();
    return waits;
  }

  // Until the backend has nothing to do.
  void settle() {
    for (unsigned n = 0; take_events(FakeStore::all) || FakeStore::get().fired() != 0; ++n)
      require(n < max_rounds);
    for (std::uint32_t const guest : guests_of_all)
      for (std::uint32_t const number : devices_of(guest))
        require(!is_served(guest, number) || unanswered(guest, number) <= max_waiting);
    for (unsigned n = 0;; ++n) {
      require(n < max_rounds);
      bool const more = take_events(FakeStore::all);
      take_rings(1000);
      if (!pass(std::chrono::seconds(1)) && !more && FakeStore::get().fired() == 0 &&
          !FakeEventChannels::get().pending())
        break;
    }
    for (std::uint32_t const guest : guests_of_all)
      for (std::uint32_t const number : devices_of(guest))
        check_settled(guest, number);
    rules_.settled();
  }

  [[nodiscard]] bool is_served(std::uint32_t guest, std::uint32_t number) const {
    return number_at(back_of(guest, number) + "/state") == std::uint64_t{PEGASUS_XEN_CONNECTED} &&
           !recreated_.contains({guest, number});
  }

  // A device is served or closed, or waits for the last tasks of the one before it. If it is served, each program that
  // asked has its answer.
  void check_settled(std::uint32_t guest, std::uint32_t number) const {
    auto const state = number_at(back_of(guest, number) + "/state");
    require(state == std::uint64_t{PEGASUS_XEN_CONNECTED} || state == std::uint64_t{PEGASUS_XEN_CLOSED} ||
            host_.tasks(guest) != 0);
    require(!is_served(guest, number) || unanswered(guest, number) == 0);
  }

  void check() const {
    for (std::uint32_t const guest : guests_of_all) {
      host_.check(guest);
      for (std::uint32_t const number : devices_of(guest))
        require(recreated_.contains({guest, number}) ||
                FakeStore::get().list(back_of(guest, number) + "/tasks").size() <=
                    limits_.tasks + xen::RefusedTasks::most);
    }
  }

  Input& input_;
  xen::GuestLimits limits_;
  XenRules rules_;
  XenHost host_;
  std::unique_ptr<xen::Guests> backend_;
  XenProgram honest_program_ = xen_program(honest, 0, 0);
  // Devices that the toolstack made again before the backend saw that they went.
  std::set<std::pair<std::uint32_t, std::uint32_t>> recreated_;
  std::chrono::steady_clock::time_point now_ = std::chrono::steady_clock::now();
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t bytes) {
  Input input(data, bytes);
  {
    Machine machine(input);
    for (unsigned n = 0; n < max_steps && !input.empty(); ++n)
      machine.step();
    machine.end();
  }
  FakeStore::get().reset();
  FakeGrants::get().reset();
  FakeEventChannels::get().reset();
  return 0;
}
