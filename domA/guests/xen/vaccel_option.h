// SPDX-License-Identifier: Apache-2.0
// A vaccel device's settings as text: xl.cfg's option, and the nodes of the device's backend directory. Pure.
// Source: control/settings.h, xen-patches/0002.
#pragma once

#include "control/settings.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace pegasus::xen {

// "credits=512,memory=256M,slo=0.5,latency=2ms": an item of the configuration's list. The error
// lists the valid values.
[[nodiscard]] tl::expected<control::Settings, std::string> parse_vaccel(std::string_view text);

// The toolstack's part of such an item: the domain that serves the device. Empty: the one that is asked.
[[nodiscard]] std::string backend_in(std::string_view text);

// A device's settings, from the nodes in its directory.
struct VaccelNodes {
  control::Settings settings;
  std::vector<std::string> problems; // a sentence for each ignored node
  bool unlimited_by_error = false;   // the memory limit is invalid, and there was none before
};

// `read` returns a node's text if the node exists. `last`: the previous settings, if any. A node that is
// malformed, or existed and is missing now, changes nothing: a limit that isolates guests must not vanish by
// mistake. A node that never existed has its default.
[[nodiscard]] VaccelNodes
read_vaccel(std::string const& directory, std::optional<control::Settings> const& last,
            std::function<std::optional<std::string>(std::string const& path)> const& read);

// Calls `write` with each setting's node and text. Returns false if `write` returned false; the
// rest is not written then.
[[nodiscard]] bool
write_vaccel(control::Settings const& settings,
             std::function<bool(std::string_view node, std::string const& value)> const& write);

} // namespace pegasus::xen
