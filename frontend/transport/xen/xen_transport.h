// SPDX-License-Identifier: Apache-2.0
// Channels between a guest of Xen and pegasusd in another domain: pages granted by this process, doorbells by
// event channels, the handshake in xenstore. No kernel module of ours, no library of Xen's. Source:
// frontend/protocol/xen.h.
#pragma once

#include "frontend/transport/transport.h"
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
  // Whether this is a guest of Xen, not its Dom0; or would be one if it were allowed to look.
  static bool present();
  static XenTransport* open(TransportError& error);

  std::byte* memory() const override { return pages_.data(); }
  pegasus_welcome const& welcome() const override { return welcome_; }
  void wake(std::uint32_t* word) override;
  void sleep(std::uint32_t* word, std::uint32_t value, std::uint64_t timeout_ns) override;
  void leave() override;
  void abandon() override;
  bool hung_up() override;

private:
  XenTransport() = default;
  bool find_device(TransportError& error);
  bool share_pages(TransportError& error);
  bool write_directory(TransportError& error);
  bool announce(TransportError& error);
  bool await_welcome(TransportError& error);
  bool ask_again(AskingAgain& asking, TransportError& error);
  void next_round();
  void look_for_task();
  [[nodiscard]] pegasus_channel_header& header() const;

  Xenstore store_;
  EventChannels events_;
  SharedPages pages_;
  SharedPages directory_;
  std::string frontend_; // its task's directory
  std::string backend_;  // and the backend's of it
  std::uint16_t backend_domain_ = 0;
  std::uint32_t doorbell_ = 0;
  std::uint32_t control_ = 0;
  std::uint32_t arena_bytes_ = PEGASUS_ARENA_DEFAULT;
  pegasus_welcome welcome_{};
  std::mutex listening_;                // held by the one thread that waits for events
  std::atomic<std::uint32_t> round_{0}; // one more whenever sleepers are to look again
  std::atomic<bool> restored_{false};   // the guest was saved and restored since: nobody knows this task
};

} // namespace pegasus::frontend
