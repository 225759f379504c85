// SPDX-License-Identifier: Apache-2.0
// Gives a guest an accelerator, and takes it away, as a patched toolstack would, under a stock one. Errors
// are sentences for the operator.
#pragma once

#include "control/request_error.h"
#include "control/settings.h"

#include <string>
#include <tl/expected.hpp>

namespace pegasus::xen {

// The settings in an xl.cfg text: of the first item of its list `vaccel`, which must be there.
[[nodiscard]] tl::expected<control::Settings, std::string> settings_in(std::string const& configuration);

// Makes device 0 of `guest`, a name or a domain id. Returns the guest's name.
[[nodiscard]] tl::expected<std::string, control::RequestError> attach(std::string const& guest,
                                                                      control::Settings const& settings);

// Takes away a device that attach() made. Returns the guest's name.
[[nodiscard]] tl::expected<std::string, control::RequestError> detach(std::string const& guest);

} // namespace pegasus::xen
