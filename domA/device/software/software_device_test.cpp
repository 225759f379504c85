// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/software_device.h"

#include <catch2/catch.hpp>

using namespace pegasus::software;

TEST_CASE("the profile says what the device is") {
  auto const profile = software_profile(12345);
  CHECK(profile.name == "Pegasus software accelerator");
  CHECK(profile.memory_bytes == 12345);
  CHECK(profile.uuid[0] == 'P');
  CHECK(profile.uuid[15] == '1');
  struct Row {
    std::size_t attribute;
    std::int32_t value;
  };
  Row const rows[] = {
      {1, 1024},  {2, 1024}, {3, 1024}, {4, 64},     {5, 2147483647}, {6, 65535}, {7, 65535},
      {8, 49152}, {10, 32},  {15, 0},   {16, 1},     {18, 0},         {19, 1},    {31, 0},
      {39, 1024}, {40, 0},   {41, 1},   {75, 7},     {76, 5},         {78, 0},    {83, 1},
      {89, 1},    {90, 0},   {95, 1},   {97, 65536}, {106, 16},       {115, 0},   {120, 0},
  };
  for (auto const& [attribute, value] : rows) {
    INFO("CUdevice_attribute " << attribute);
    CHECK(profile.attribute[attribute] == value);
  }
}

TEST_CASE("the profile follows the compute capability") {
  auto const profile = software_profile(12345, 80);
  CHECK(profile.attribute[75] == 8);
  CHECK(profile.attribute[76] == 0);
  CHECK(profile.attribute[39] == 2048);
  CHECK(profile.attribute[81] == 164 * 1024);
  CHECK(profile.attribute[97] == 163 * 1024);
  CHECK(profile.attribute[106] == 32);
  CHECK(profile.attribute[111] == 1024);
}
