// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/xen/attach.h"

namespace pegasus::xen {

tl::expected<std::string, std::string> attach(std::string const&, std::string const&) {
  return tl::unexpected(std::string("this pegasusd was built without Xen's libraries (libxen-dev)"));
}

} // namespace pegasus::xen
