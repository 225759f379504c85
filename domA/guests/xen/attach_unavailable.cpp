// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/xen/attach.h"

namespace pegasus::xen {
namespace {

tl::unexpected<std::string> unavailable() {
  return tl::unexpected(std::string("this pegasusd was built without Xen's libraries (libxen-dev)"));
}

} // namespace

tl::expected<control::Settings, std::string> settings_in(std::string const&) { return unavailable(); }

tl::expected<std::string, std::string> attach(std::string const&, control::Settings const&) {
  return unavailable();
}

tl::expected<std::string, std::string> detach(std::string const&) { return unavailable(); }

} // namespace pegasus::xen
