// SPDX-License-Identifier: Apache-2.0
// With a stand-in for NVIDIA's kernel module: which groups are known, and which controls are called.
#include "bench/gpu/facts/channel_groups.h"
#include "bench/gpu/facts/system_ioctl.h"

#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <sys/ioctl.h>
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

constexpr std::uint32_t client = 0xc1d00001;

// As the driver's library does it. `bytes`: of the form, NVOS21_PARAMETERS or NVOS64_PARAMETERS.
void allocate(std::uint32_t object, std::uint32_t object_class, unsigned bytes, std::uint32_t status = 0) {
  Words words{client, 0, object, object_class};
  words[bytes == 32 ? 7 : 10] = status;
  REQUIRE(ioctl(13, _IOC(_IOC_READ | _IOC_WRITE, 'F', 0x2b, bytes), words.data()) == 0);
}
void release(std::uint32_t object) {
  std::array<std::uint32_t, 4> words{client, 0, object, 0};
  REQUIRE(ioctl(13, _IOC(_IOC_READ | _IOC_WRITE, 'F', 0x29, sizeof words), words.data()) == 0);
}

} // namespace

int pegasus::facts::system_ioctl(int fd, unsigned long request, void* argument) {
  if (_IOC_NR(request) != 0x2a) return 0;
  auto* const words = static_cast<std::uint32_t*>(argument);
  std::uint64_t address = 0;
  std::memcpy(&address, words + 4, sizeof address);
  auto const* const bytes = reinterpret_cast<std::uint8_t const*>(address);
  controls.push_back({fd, words[0], words[1], words[2], words[6], {bytes, bytes + words[6]}});
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
  CHECK(groups::calls_seen() == 4);
  std::array<std::uint32_t, 8> other{};
  CHECK(ioctl(0, _IOC(_IOC_READ, 'T', 1, sizeof other), other.data()) == 0); // not the driver's
  CHECK(groups::calls_seen() == 4);

  groups::Outcome const suspended = groups::suspend();
  CHECK(suspended.status == 0);
  REQUIRE(controls.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    Control const& control = controls[i];
    CHECK(control.fd == 13);
    CHECK(control.client == client);
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
  release(client); // and all that it had
  CHECK(groups::count() == 0);
  CHECK(groups::suspend().text.empty());
}
