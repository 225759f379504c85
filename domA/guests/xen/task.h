// SPDX-License-Identifier: Apache-2.0
// One task of a guest: the process that offered a call buffer in its device's directory. Source of the steps:
// frontend/protocol/xen.h. All input was written by the guest.
#pragma once

#include "domA/guests/guest_link.h"
#include "domA/guests/shared_memory.h"
#include "domA/guests/xen/granted_pages.h"
#include "domA/guests/xen/guests.h"
#include "domA/guests/xen/page_directory.h"
#include "domA/guests/xen/store.h"

#include <functional>

namespace pegasus::xen {

// What all tasks share; outlives them.
struct Backend {
  Store store;
  GrantTable grants;
  EventChannels events;
  GuestLimits limits;
};

class Task final : public guests::GuestLink {
public:
  // `front`, `back`: its directories. `max_pages`: limit on its call buffer. The error is for the guest.
  [[nodiscard]] static tl::expected<std::shared_ptr<Task>, guests::Rejection>
  open(Backend& backend, std::uint32_t domain, std::string front, std::string back, std::size_t max_pages);
  ~Task() override;

  [[nodiscard]] guests::ConnectRequest const& connect_request() const { return directory_.connect_request(); }
  [[nodiscard]] std::size_t pages() const { return directory_.references().size(); } // mapped
  [[nodiscard]] evtchn_port_t control() const { return control_; } // rings when the guest is gone
  // Call when it rang. Returns false if the guest is alive and may ring again. It rings once without a reason
  // when it is bound. A guest that rings without end is treated as gone.
  [[nodiscard]] bool gone();
  // The guest may begin: gives it the connect reply.
  void connect(pegasus_connect_reply connect_reply);

  tl::expected<guests::ChannelSource, std::string> make_channel(ring::Geometry const& geometry,
                                                                std::uint64_t host_window_bytes) override;
  tl::expected<pegasus_totals*, std::string> make_totals() override;
  void close(pegasus_close_reason reason) override;

  std::function<void()> closed; // called once, at the end of close()

private:
  Task(Backend& backend, std::uint32_t domain, std::string front, std::string back, std::size_t max_pages)
      : backend_(backend), domain_(domain), front_(std::move(front)), back_(std::move(back)),
        directory_(max_pages) {}
  [[nodiscard]] guests::Agreement agreement() const { return connect_request().agreement; }
  tl::expected<void, guests::Rejection> read_directory();
  tl::expected<void, guests::Rejection> bind_control();

  Backend& backend_;
  std::uint32_t domain_;
  std::string front_, back_;
  PageDirectory directory_;
  guests::SharedMemory handed_over_; // its references, for the worker
  GrantedPages header_;              // while the channel lives
  GrantedPages beginning_;           // to the end of the connect reply, until connect()
  std::uint32_t reply_offset_ = 0;   // of the connect reply, in it
  GrantedPages totals_;
  evtchn_port_t control_ = 0;
  bool bound_ = false;
  unsigned rings_ = 0;
};

} // namespace pegasus::xen
