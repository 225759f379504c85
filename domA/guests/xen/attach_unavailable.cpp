// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/xen/attach.h"

namespace pegasus::xen {
namespace {

std::string const why = "this pegasusd was built without Xen's libraries (libxen-dev)";

} // namespace

tl::expected<control::Settings, std::string> settings_in(std::string const&) { return tl::unexpected(why); }

tl::expected<std::string, control::RequestError> attach(std::string const&, control::Settings const&) {
  return control::could_not(why);
}

tl::expected<std::string, control::RequestError> detach(std::string const&) {
  return control::could_not(why);
}

} // namespace pegasus::xen
