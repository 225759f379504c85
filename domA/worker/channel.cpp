// SPDX-License-Identifier: Apache-2.0
#include "domA/worker/channel.h"

#include "domA/guests/xen/worker_channel.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>

namespace pegasus::worker {
namespace {

constexpr std::uint32_t xen_page = 4096;

class EventDoorbell final : public Doorbell {
public:
  explicit EventDoorbell(std::unique_ptr<xen::WorkerChannel> channel) : channel_(std::move(channel)) {}
  void ring(std::uint32_t&) override { channel_->ring(); }
  void wait(std::uint32_t&, std::uint32_t) override { channel_->wait(); } // an earlier ring is kept

private:
  std::unique_ptr<xen::WorkerChannel> channel_;
};

std::byte* map(int file, std::size_t bytes, int flags) {
  void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | flags, file, 0);
  return pages == MAP_FAILED ? nullptr : static_cast<std::byte*>(pages);
}

tl::expected<Channel, std::string> open_local(Start const& start) {
  std::byte* const pages = map(channel_fd, start.geometry.total_bytes, MAP_POPULATE);
  if (pages == nullptr)
    return tl::unexpected(std::string("cannot map the call buffer: ") + std::strerror(errno));
  Channel channel{pages, std::make_unique<FutexDoorbell>()};
  if (std::uint64_t const bytes = start.channel.host_window_bytes; bytes != 0) {
    // A limit that refuses it is one that the sandbox names: a worker needs more than this.
    if (std::byte* const window = map(host_window_fd, bytes, MAP_NORESERVE); window != nullptr)
      channel.host_window = {window, bytes};
  }
  return channel;
}

tl::expected<Channel, std::string> open_xen(Start const& start) {
  guests::ChannelSource source = start.channel;
  source.fd = channel_fd;
  auto channel = xen::WorkerChannel::open(source, start.geometry.total_bytes / xen_page, doorbell_fd);
  if (!channel) return tl::unexpected(channel.error());
  std::byte* const memory = (*channel)->memory();
  return Channel{memory, std::make_unique<EventDoorbell>(std::move(*channel))};
}

} // namespace

tl::expected<Channel, std::string> open_channel(Start const& start) {
  return start.channel.kind == guests::ChannelKind::xen ? open_xen(start) : open_local(start);
}

} // namespace pegasus::worker
