// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/visible_devices.h"

#include <array>
#include <catch2/catch.hpp>

using pegasus::driver::visible;

TEST_CASE("a list of devices shows the one device if it names it first") {
  std::array<unsigned char, 16> const uuid = {0x0a, 0x1b, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0xff};
  for (char const* const list : {"0", "0,1", " 0 ,7", "00", "GPU-0a1b",
                                 "GPU-0A1B0203-0405-0607-0809-0a0b0c0d0eff", "GPU-0a1b0203-0405,nonsense"}) {
    INFO(list);
    CHECK(visible(list, uuid));
  }
  for (char const* const list :
       {"", " ", ",", "-1", "1", "1,0", "3", "0x0", "0 1", "NoDevFiles", "GPU-", "GPU-0a1c", "gpu-0a1b",
        "GPU-0a1b0203-0405-0607-0809-0a0b0c0d0eff0", "MIG-0a1b"}) {
    INFO(list);
    CHECK_FALSE(visible(list, uuid));
  }
}
