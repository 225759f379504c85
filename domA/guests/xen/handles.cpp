// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/xen/handles.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>

extern "C" {
#include <xentoollog.h>
}

namespace pegasus::xen {
namespace {

// Not all libraries set close-on-exec on their descriptors; workers must not inherit them.
void close_on_exec(int fd) { fcntl(fd, F_SETFD, fcntl(fd, F_GETFD) | FD_CLOEXEC); }

// We report failures ourselves: a guest could fill the log with the messages of the libraries.
xentoollog_logger* silence() {
  static auto* const logger =
      reinterpret_cast<xentoollog_logger*>(xtl_createlogger_stdiostream(stderr, XTL_CRITICAL, 0));
  return logger;
}

} // namespace

tl::expected<GrantTable, std::string> open_grant_table() {
  GrantTable table(xengnttab_open(silence(), 0));
  if (!table)
    return tl::unexpected(fmt::format("cannot open /dev/xen/gntdev: {}: load the kernel module xen-gntdev",
                                      std::strerror(errno)));
  close_on_exec(xengnttab_fd(table.get()));
  return table;
}

tl::expected<EventChannels, std::string> open_event_channels() {
  EventChannels channels(xenevtchn_open(silence(), 0));
  if (!channels)
    return tl::unexpected(fmt::format("cannot open /dev/xen/evtchn: {}: load the kernel module xen-evtchn",
                                      std::strerror(errno)));
  close_on_exec(xenevtchn_fd(channels.get()));
  return channels;
}

} // namespace pegasus::xen
