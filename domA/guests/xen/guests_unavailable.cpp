// SPDX-License-Identifier: Apache-2.0
// Without Xen's libraries at build time there are no guests.
#include "domA/guests/xen/guests.h"

namespace pegasus::xen {

bool Guests::present() { return false; }

tl::expected<std::unique_ptr<Guests>, std::string> Guests::open(GuestsHost&, GuestLimits const&,
                                                                std::filesystem::path const&) {
  return tl::unexpected(std::string("this pegasusd was built without Xen's libraries (libxen-dev)"));
}

} // namespace pegasus::xen
