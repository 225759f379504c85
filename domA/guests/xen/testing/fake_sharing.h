// SPDX-License-Identifier: Apache-2.0
// Xen's grants and event channels as the backend sees them. A program that links it has these functions of
// libxengnttab and libxenevtchn instead of the libraries'. A page that the backend maps is the guest's own, so each
// sees at once what the other writes, and an access to a page that was unmapped is a fault.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <utility>

namespace pegasus::xen::testing {

class FakeGrants {
public:
  static constexpr std::size_t page_bytes = 4096;
  static constexpr std::size_t max_pages = 2048; // that are granted and used, of all domains together

  static FakeGrants& get();
  void reset();

  void grant_below(std::uint32_t domain, std::uint32_t reference) { granted_[domain] = reference; }
  void revoke_all(std::uint32_t domain); // what is mapped stays
  // A guest's own page; nullptr if it is not granted, or none is left.
  [[nodiscard]] std::byte* page(std::uint32_t domain, std::uint32_t reference);
  [[nodiscard]] std::size_t mapped(std::uint32_t domain) const; // pages

  struct Notice { // when the page is unmapped
    std::uint32_t offset, port;
  };
  [[nodiscard]] std::byte* map(std::uint32_t domain, std::uint32_t count, std::uint32_t const* references);
  void set_notice(std::byte* mapping, Notice notice) { mappings_.at(mapping).notice = notice; }
  bool unmap(std::byte* mapping, std::uint32_t count); // false if it is not a mapping

private:
  struct Mapping {
    std::uint32_t domain, count;
    Notice notice{~0u, ~0u};
  };
  FakeGrants();
  [[nodiscard]] std::byte* frame(std::size_t index) const { return frames_ + index * page_bytes; }
  [[nodiscard]] bool used(std::uint32_t domain, std::uint32_t reference); // so it has a frame now

  int fd_;
  std::byte* frames_;
  std::size_t used_ = 0;
  std::map<std::uint32_t, std::uint32_t> granted_;                          // by domain: all below
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> frame_of_; // by domain and reference
  std::map<std::byte*, Mapping> mappings_;
};

class FakeEventChannels {
public:
  static FakeEventChannels& get();
  void reset() { *this = {}; }

  // What guests do.
  void offer(std::uint32_t domain, std::uint32_t port); // unbound, for the backend; anew if it was used
  void close_all(std::uint32_t domain);
  void ring(std::uint32_t domain, std::uint32_t port);

  [[nodiscard]] bool pending() const { return !ring_.empty(); }  // xenevtchn_pending() does not block
  [[nodiscard]] std::size_t bound(std::uint32_t domain) const;   // ports of the backend
  [[nodiscard]] std::size_t misused() const { return misused_; } // calls for a port that is not the backend's
  // The backend takes a ring of that domain; nullopt: of a port that it has unbound.
  std::function<void(std::uint32_t domain)> takes;

  [[nodiscard]] int bind(std::uint32_t domain, std::uint32_t remote);
  bool unbind(std::uint32_t port);
  bool notify(std::uint32_t port);
  bool unmask(std::uint32_t port);
  [[nodiscard]] int take();

private:
  struct Port {
    std::uint32_t domain, remote;
    bool masked = false, rung = false;
  };
  void rings(std::uint32_t number, Port& port);

  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> offered_; // the backend's port, 0: none
  std::map<std::uint32_t, Port> ports_;
  std::deque<std::uint32_t> ring_; // what is unbound stays in it, as in Linux
  std::size_t misused_ = 0;
};

} // namespace pegasus::xen::testing
