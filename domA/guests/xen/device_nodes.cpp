// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/xen/device_nodes.h"

#include "domA/guests/xen/vaccel_option.h"

#include <fmt/core.h>

namespace pegasus::xen {

std::string front_directory(std::uint32_t guest) {
  return fmt::format("/local/domain/{}/device/vaccel/0", guest);
}

std::string back_directory(std::uint32_t own, std::uint32_t guest) {
  return fmt::format("/local/domain/{}/backend/vaccel/{}/0", own, guest);
}

bool has_device(Store& store, std::uint32_t own, std::uint32_t guest) {
  return store.exists(back_directory(own, guest) + "/frontend");
}

// As libxl does: each side may write its own directory and read the other side's.
bool make_device(Store& store, std::uint32_t own, std::uint32_t guest, control::Settings const& settings) {
  std::string const front = front_directory(guest), back = back_directory(own, guest);
  auto const write_setting = [&](std::string_view node, std::string const& value) {
    return store.write(fmt::format("{}/{}", back, node), value);
  };
  return store.make_directory(front, guest, own) && store.make_directory(back, own, guest) &&
         store.write(front + "/backend", back) && store.write(front + "/backend-id", std::to_string(own)) &&
         store.write(front + "/state", "1") && store.write(back + "/frontend-id", std::to_string(guest)) &&
         store.write(back + "/online", "1") && store.write(back + "/state", "1") &&
         write_vaccel(settings, write_setting) &&
         store.write(back + "/frontend", front); // last: a device is one that has this
}

} // namespace pegasus::xen
