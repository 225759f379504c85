// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/xen/worker_channel.h"

#include "domA/guests/xen/granted_pages.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <vector>
#include <xen/sys/evtchn.h>

namespace pegasus::xen {
namespace {

class GrantedChannel final : public WorkerChannel {
public:
  GrantedChannel(GrantTable grants, GrantedPages pages, EventChannels events, evtchn_port_t port)
      : grants_(std::move(grants)), pages_(std::move(pages)), events_(std::move(events)), port_(port) {}

  std::byte* memory() const override { return pages_.data(); }
  void ring() override { xenevtchn_notify(events_.get(), port_); }
  void wait() override {
    auto const port = xenevtchn_pending(events_.get());
    if (port >= 0) xenevtchn_unmask(events_.get(), static_cast<evtchn_port_t>(port));
  }

private:
  GrantTable grants_;
  GrantedPages pages_;
  EventChannels events_;
  evtchn_port_t port_;
};

} // namespace

unsigned long ring_request() { return IOCTL_EVTCHN_NOTIFY; }

tl::expected<std::unique_ptr<WorkerChannel>, std::string>
WorkerChannel::open(guests::ChannelSource const& source, std::uint32_t pages, int event_fd) {
  std::vector<std::uint32_t> references(pages);
  auto const bytes = static_cast<ssize_t>(references.size() * sizeof references[0]);
  if (pread(source.fd, references.data(), static_cast<std::size_t>(bytes), 0) != bytes)
    return tl::unexpected(std::string("cannot read the grant references"));
  auto grants = open_grant_table();
  if (!grants) return tl::unexpected(grants.error());
  auto mapped = GrantedPages::map(grants->get(), source.domain, references);
  if (!mapped) return tl::unexpected(mapped.error());

  int const opened = ::open("/dev/xen/evtchn", O_RDWR | O_CLOEXEC);
  if (opened < 0 || dup2(opened, event_fd) != event_fd)
    return tl::unexpected(fmt::format("cannot open /dev/xen/evtchn: {}", std::strerror(errno)));
  if (opened != event_fd) close(opened);
  EventChannels events(xenevtchn_fdopen(nullptr, event_fd, 0));
  if (!events) return tl::unexpected(fmt::format("no event channels: {}", std::strerror(errno)));
  auto const port = xenevtchn_bind_interdomain(events.get(), source.domain, source.doorbell);
  if (port < 0) return tl::unexpected(fmt::format("cannot bind the doorbell: {}", std::strerror(errno)));
  return std::make_unique<GrantedChannel>(std::move(*grants), std::move(*mapped), std::move(events),
                                          static_cast<evtchn_port_t>(port));
}

} // namespace pegasus::xen
