// SPDX-License-Identifier: Apache-2.0
// Xen's library handles, closed by their owner. Errors are messages that tell the operator what to do.
#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>

extern "C" { // the headers have no extern "C"
#include <xenevtchn.h>
#include <xengnttab.h>
#include <xenstore.h>
}

namespace pegasus::xen {

struct CloseHandle {
  void operator()(xengnttab_handle* handle) const { xengnttab_close(handle); }
  void operator()(xenevtchn_handle* handle) const { xenevtchn_close(handle); }
  void operator()(xs_handle* handle) const { xs_close(handle); }
};
using GrantTable = std::unique_ptr<xengnttab_handle, CloseHandle>;
using EventChannels = std::unique_ptr<xenevtchn_handle, CloseHandle>;
using StoreHandle = std::unique_ptr<xs_handle, CloseHandle>;

[[nodiscard]] tl::expected<GrantTable, std::string> open_grant_table();
[[nodiscard]] tl::expected<EventChannels, std::string> open_event_channels();

} // namespace pegasus::xen
