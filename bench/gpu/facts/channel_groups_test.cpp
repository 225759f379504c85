// SPDX-License-Identifier: Apache-2.0
// With a stand-in for NVIDIA's kernel module: which groups are known, and which controls are called.
#include "bench/gpu/facts/channel_groups.h"

#include "bench/gpu/facts/driver_objects.h"
#include "bench/gpu/facts/system_ioctl.h"

#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <sys/ioctl.h>
#include <utility>
#include <vector>

namespace {

using Words = std::array<std::uint32_t, 12>; // NVOS64_PARAMETERS is the longest

// What the kernel module was asked to control.
struct Control {
  int fd;
  std::uint32_t client, object, command, bytes;
  std::vector<std::uint8_t> parameters;
};
std::vector<Control> controls;
std::uint32_t refusal = 0; // the status of controls

constexpr std::uint32_t our_client = 0xc1d00001;

// As the driver's library does it. `bytes`: of the form, NVOS21_PARAMETERS or NVOS64_PARAMETERS.
void allocate(std::uint32_t object, std::uint32_t object_class, unsigned bytes, std::uint32_t status = 0,
              std::uint32_t parent = 0) {
  Words words{our_client, parent, object, object_class};
  words[bytes == 32 ? 7 : 10] = status;
  REQUIRE(ioctl(13, _IOC(_IOC_READ | _IOC_WRITE, 'F', 0x2b, bytes), words.data()) == 0);
}
void release(std::uint32_t object) {
  std::array<std::uint32_t, 4> words{our_client, 0, object, 0};
  REQUIRE(ioctl(13, _IOC(_IOC_READ | _IOC_WRITE, 'F', 0x29, sizeof words), words.data()) == 0);
}

} // namespace

int pegasus::facts::system_ioctl(int fd, unsigned long request, void* argument) {
  if (_IOC_NR(request) != 0x2a) return 0;
  auto* const words = static_cast<std::uint32_t*>(argument);
  std::uint64_t address = 0;
  std::memcpy(&address, words + 4, sizeof address);
  auto const* const bytes = reinterpret_cast<std::uint8_t const*>(address);
  std::vector<std::uint8_t> parameters;
  if (bytes != nullptr) parameters.assign(bytes, bytes + words[6]);
  controls.push_back({fd, words[0], words[1], words[2], words[6], std::move(parameters)});
  words[7] = refusal;
  return 0;
}

namespace groups = pegasus::facts::channel_groups;

TEST_CASE("groups are known from their allocation to their end, and are suspended and resumed") {
  constexpr std::uint32_t a_group = 0xa06c, a_channel = 0xc86f;
  allocate(0x10, a_group, 48);
  allocate(0x11, a_channel, 48);
  allocate(0x12, a_group, 48, 0x1b); // refused
  allocate(0x13, a_group, 32);
  CHECK(groups::count() == 2);
  CHECK(pegasus::facts::driver_objects::calls_seen() == 4);
  std::array<std::uint32_t, 8> other{};
  CHECK(ioctl(0, _IOC(_IOC_READ, 'T', 1, sizeof other), other.data()) == 0); // not the driver's
  CHECK(pegasus::facts::driver_objects::calls_seen() == 4);

  groups::Outcome const suspended = groups::suspend();
  CHECK(suspended.status == 0);
  REQUIRE(controls.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    Control const& control = controls[i];
    CHECK(control.fd == 13);
    CHECK(control.client == our_client);
    CHECK(control.object == (i % 2 == 0 ? 0x10 : 0x13));
    CHECK(control.command == (i < 2 ? 0xa06c0101 : 0xa06c0105));
    CHECK(control.bytes == (i < 2 ? 3 : 8));
  }
  CHECK(controls[0].parameters == std::vector<std::uint8_t>{0, 0, 0});
  CHECK(controls[2].parameters[0] == 1); // waits
  controls.clear();

  CHECK(groups::resume().status == 0);
  REQUIRE(controls.size() == 2);
  CHECK(controls[1].parameters == std::vector<std::uint8_t>{1, 0, 0});
  controls.clear();

  CHECK(groups::set_time_slice(1000).status == 0);
  CHECK(controls[1].command == 0xa06c0103);
  CHECK(controls[1].parameters == std::vector<std::uint8_t>{0xe8, 3, 0, 0, 0, 0, 0, 0});
  CHECK(groups::time_slice_us() == 0u);

  refusal = 0x1b;
  CHECK(groups::suspend().status == 0x1b);
  CHECK(groups::suspend().text.find("10 disabled 0x1b") == 0);
  CHECK_FALSE(groups::time_slice_us());

  release(0x10);
  CHECK(groups::count() == 1);
  release(our_client); // and all that it had
  CHECK(groups::count() == 0);
  CHECK(groups::suspend().text.empty());
}

namespace {

constexpr std::uint32_t a_device = 0x80, a_subdevice = 0x2080, a_group = 0xa06c, a_channel = 0xc86f;
constexpr std::uint32_t a_debugger = 0x83de, something_else = 0xcbc0;

// One GPU's objects, from `base`: a device and its subdevice, and a group with two channels.
void allocate_gpu(std::uint32_t base) {
  allocate(base, a_device, 48, 0, our_client);
  allocate(base + 1, a_subdevice, 48, 0, base);
  allocate(base + 2, a_group, 48, 0, base);
  allocate(base + 3, a_channel, 48, 0, base + 2);
  allocate(base + 4, something_else, 48, 0, base + 3);
  allocate(base + 5, a_channel, 32, 0, base + 2);
}

std::uint32_t word(Control const& control, std::size_t at) {
  std::uint32_t value = 0;
  std::memcpy(&value, control.parameters.data() + at, sizeof value);
  return value;
}

void start_again() {
  release(our_client);
  controls.clear();
  refusal = 0;
}

} // namespace

TEST_CASE("channels are disabled and enabled on the subdevice of their own GPU") {
  start_again();
  allocate_gpu(0x20);
  allocate_gpu(0x40);
  CHECK(groups::count() == 2);
  CHECK(groups::channels() == 4);
  CHECK(groups::list().find("client c1d00001 device 20 subdevice 21 group 22: 23 (c86f) 25 (c86f); ") == 0);

  CHECK(groups::set_channels(groups::Channels::disabled).status == 0);
  REQUIRE(controls.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    std::uint32_t const base = i == 0 ? 0x20 : 0x40;
    Control const& control = controls[i];
    CHECK(control.object == base + 1);
    CHECK(control.command == 0x2080110b);
    REQUIRE(control.bytes == 536);
    CHECK(control.parameters[0] == 1);
    CHECK(word(control, 4) == 2);
    CHECK(word(control, 8) == 0); // taken off the GPU, and nothing is dropped
    CHECK(word(control, 24) == our_client);
    CHECK(word(control, 28) == our_client);
    CHECK(word(control, 32) == 0);
    CHECK(word(control, 280) == base + 3);
    CHECK(word(control, 284) == base + 5);
    CHECK(word(control, 288) == 0);
  }
  controls.clear();
  CHECK(groups::set_channels(groups::Channels::scheduling_disabled).status == 0);
  CHECK(controls[0].parameters[0] == 1);
  CHECK(controls[0].parameters[8] == 1);
  controls.clear();
  CHECK(groups::set_channels(groups::Channels::enabled).status == 0);
  CHECK(controls[1].parameters[0] == 0);
  controls.clear();

  release(0x22); // with its channels
  CHECK(groups::channels() == 2);
  release(0x45);
  CHECK(groups::set_channels(groups::Channels::disabled).text.find("41 1 channels disabled 0x0") == 0);
  release(0x41);
  groups::Outcome const nowhere = groups::set_channels(groups::Channels::disabled);
  CHECK(nowhere.status != 0);
  CHECK(nowhere.text == "43 has no subdevice");
  release(0x40); // with all below it
  CHECK(groups::count() == 0);
  CHECK(groups::channels() == 0);
}

TEST_CASE("more channels than one call takes are disabled in several calls") {
  start_again();
  allocate_gpu(0x100);
  for (std::uint32_t channel = 0; channel < 70; ++channel)
    allocate(0x1000 + channel, a_channel, 48, 0, 0x102);
  CHECK(groups::set_channels(groups::Channels::disabled).status == 0);
  REQUIRE(controls.size() == 2);
  CHECK(word(controls[0], 4) == 64);
  CHECK(word(controls[1], 4) == 8);
  CHECK(word(controls[1], 280) == 0x1000 + 62);
}

TEST_CASE("channels and debugger objects are controlled one by one") {
  start_again();
  allocate_gpu(0x20);
  allocate(0x30, a_debugger, 48, 0, 0x20);
  CHECK(groups::debuggers() == 1);

  CHECK(groups::schedule_channels({.enable = 1}).status == 0);
  REQUIRE(controls.size() == 2);
  CHECK(controls[1].object == 0x25);
  CHECK(controls[1].command == 0xa06f0103);
  CHECK(controls[1].parameters == std::vector<std::uint8_t>{1, 0, 0});
  controls.clear();

  CHECK(groups::restart_run_lists().status == 0);
  REQUIRE(controls.size() == 1); // one channel of the group
  CHECK(controls[0].object == 0x23);
  CHECK(controls[0].command == 0xa06f0111);
  CHECK(controls[0].parameters == std::vector<std::uint8_t>{1, 0});
  controls.clear();

  CHECK(groups::suspend_contexts().status == 0);
  CHECK(groups::resume_contexts().status == 0);
  REQUIRE(controls.size() == 2);
  CHECK(controls[0].object == 0x30);
  CHECK(controls[0].command == 0x83de0317);
  CHECK(controls[0].bytes == 8);
  CHECK(controls[1].command == 0x83de0318);
  CHECK(controls[1].bytes == 0);
  controls.clear();

  CHECK(groups::schedule_groups({.skip_submit = 1}).status == 0);
  CHECK(groups::set_interleave_level(2).status == 0);
  REQUIRE(controls.size() == 2);
  CHECK(controls[0].parameters == std::vector<std::uint8_t>{0, 1, 0});
  CHECK(controls[1].command == 0xa06c0107);
  CHECK(controls[1].parameters == std::vector<std::uint8_t>{2, 0, 0, 0});
}
