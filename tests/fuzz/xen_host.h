// SPDX-License-Identifier: Apache-2.0
// The daemon as the backend of Xen's guests sees it: admits tasks or not, ends their workers, and checks what it is told.
#pragma once

#include "domA/guests/xen/guests.h"
#include "tests/fuzz/xen_rules.h"

#include <map>
#include <memory>
#include <set>
#include <vector>

namespace pegasus::fuzz {

class XenHost final : public xen::GuestsHost {
public:
  enum class Answer : std::uint8_t { admit, ask_again, refuse };

  XenHost(XenRules& rules, xen::GuestLimits limits) : rules_(rules), limits_(limits) {}

  void set_guest(std::uint32_t guest, std::string const& name, control::Settings const& settings) override;
  void forget_guest(std::uint32_t guest) override;
  void report(std::string const& problem) override;
  tl::expected<pegasus_connect_reply, guests::Rejection>
  admit(std::uint32_t guest, guests::ConnectRequest const& connect_request, guests::Peer const& peer,
        std::shared_ptr<guests::GuestLink> link) override;
  void guest_left(std::uint32_t task) override;
  void detached(std::uint32_t task) override { guest_left(task); }

  void answer(Answer answer, std::uint32_t spared) {
    answer_ = answer, spared_ = spared;
  } // not given to `spared`
  // So there may be something to report.
  void toolstack_changed(std::uint32_t guest) {
    reports_[guest].clear();
    rules_.toolstack_changed(guest);
  }
  enum class Of : std::uint8_t { any, left };
  // Of one of its tasks, if it has any.
  void end_worker(std::uint32_t guest, std::size_t which, bool keep_link);
  void end_workers(Of of);
  void end(); // as the daemon does

  [[nodiscard]] bool knows(std::uint32_t guest) const { return guests_.contains(guest); }
  [[nodiscard]] control::Settings const& settings(std::uint32_t guest) const { return guests_.at(guest); }
  [[nodiscard]] std::size_t tasks(std::uint32_t guest) const; // that have not been closed
  [[nodiscard]] std::size_t tasks() const { return tasks_.size(); }
  void check(std::uint32_t guest) const; // what is taken for it is what its tasks need

private:
  struct Task {
    std::uint32_t guest;
    std::shared_ptr<guests::GuestLink> link;
    std::size_t pages; // of its call buffer
    bool totals;
    bool left = false;   // its guest has
    bool closed = false; // its worker does not end
  };
  [[nodiscard]] tl::expected<Task, std::string> open(std::uint32_t guest,
                                                     guests::ConnectRequest const& connect_request,
                                                     std::shared_ptr<guests::GuestLink> link) const;
  void end_task(std::map<std::uint32_t, Task>::iterator task, bool keep_link);

  XenRules& rules_;
  xen::GuestLimits limits_;
  Answer answer_ = Answer::admit;
  std::uint32_t spared_ = 0;
  std::map<std::uint32_t, control::Settings> guests_;
  std::map<std::uint32_t, Task> tasks_; // by number
  std::map<std::uint32_t, std::set<std::string>> reports_;
};

} // namespace pegasus::fuzz
