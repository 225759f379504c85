// SPDX-License-Identifier: Apache-2.0
// Channels between a guest of Xen and pegasusd in another domain: pages granted by this process, doorbells by
// event channels, the handshake in xenstore. Needs no kernel module of its own and none of Xen's libraries.
// Source: frontend/protocol/xen.h.
#pragma once

#include "frontend/protocol/xen.h"
#include "frontend/transport/transport.h"
#include "frontend/transport/versions.h"
#include "frontend/transport/xen/event_channels.h"
#include "frontend/transport/xen/shared_pages.h"
#include "frontend/transport/xen/xenstore.h"

#include <atomic>
#include <mutex>
#include <string>

namespace pegasus::frontend {

class AskingAgain;

class XenTransport final : public Transport {
public:
  // Returns true in a guest of Xen that is not Dom0, and if this user may not open xenstore.
  static bool present();
  static XenTransport* open(pegasus_connect_kind kind, TransportError& error);

  std::byte* memory() const override {
    return pages_.data() + (kind_ == PEGASUS_CONNECT_TOTALS ? PEGASUS_XEN_TOTALS_OFFSET : 0);
  }
  pegasus_connect_reply const& connect_reply() const override { return connect_reply_; }
  void wake(std::uint32_t* word) override;
  void sleep(std::uint32_t* word, std::uint32_t value, std::uint64_t timeout_ns) override;
  void leave() override;
  void abandon() override;
  bool hung_up() override;

private:
  XenTransport(pegasus_connect_kind kind, SpokenVersions spoken) : kind_(kind), spoken_(spoken) {}
  bool find_device(TransportError& error);
  bool share_pages(TransportError& error);
  bool share_enough(TransportError& error);
  bool write_directory(TransportError& error);
  bool announce(TransportError& error);
  bool await_connect_reply(TransportError& error);
  void take_connect_reply();
  [[nodiscard]] bool fits_the_pages() const; // what the connect reply describes
  bool ask_again(AskingAgain& asking, TransportError& error);
  void next_round();
  void look_for_task();
  [[nodiscard]] pegasus_channel_header& header() const;

  pegasus_connect_kind kind_;
  SpokenVersions spoken_;
  bool of_version_1_ = false; // pegasusd refused because it does not know that versions are chosen
  Xenstore store_;
  EventChannels events_;
  SharedPages pages_;
  SharedPages directory_;
  std::string frontend_; // the task's directory
  std::string backend_;  // the backend's directory of this task
  std::uint16_t backend_domain_ = 0;
  std::uint32_t doorbell_ = 0;
  std::uint32_t control_ = 0;
  std::uint32_t arena_bytes_ = PEGASUS_ARENA_DEFAULT;
  pegasus_connect_reply connect_reply_{};
  std::mutex listening_;                // held by the one thread that waits for events
  std::atomic<std::uint32_t> round_{0}; // incremented to make sleepers check again
  // The guest was saved and restored: its new device does not know this task.
  std::atomic<bool> restored_{false};
};

} // namespace pegasus::frontend
