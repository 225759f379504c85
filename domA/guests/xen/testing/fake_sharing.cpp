// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/xen/testing/fake_sharing.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

extern "C" {
#include <xenevtchn.h>
#include <xengnttab.h>
}

namespace pegasus::xen::testing {

FakeGrants& FakeGrants::get() {
  static FakeGrants grants;
  return grants;
}

FakeGrants::FakeGrants() : fd_(memfd_create("pegasus-fake-grants", MFD_CLOEXEC)) {
  std::size_t const bytes = max_pages * page_bytes;
  if (fd_ < 0 || ftruncate(fd_, static_cast<off_t>(bytes)) != 0) std::abort();
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (mapped == MAP_FAILED) std::abort();
  frames_ = static_cast<std::byte*>(mapped);
}

void FakeGrants::reset() {
  while (!mappings_.empty())
    unmap(mappings_.begin()->first, mappings_.begin()->second.count);
  std::memset(frames_, 0, std::exchange(used_, 0) * page_bytes);
  granted_.clear();
  frame_of_.clear();
}

void FakeGrants::revoke_all(std::uint32_t domain) {
  granted_.erase(domain);
  std::erase_if(frame_of_, [&](auto const& entry) { return entry.first.first == domain; });
}

bool FakeGrants::used(std::uint32_t domain, std::uint32_t reference) {
  auto const granted = granted_.find(domain);
  if (granted == granted_.end() || reference >= granted->second) return false;
  if (frame_of_.contains({domain, reference})) return true;
  if (used_ == max_pages) return false;
  frame_of_.emplace(std::pair(domain, reference), used_++);
  return true;
}

std::byte* FakeGrants::page(std::uint32_t domain, std::uint32_t reference) {
  return used(domain, reference) ? frame(frame_of_.at({domain, reference})) : nullptr;
}

std::size_t FakeGrants::mapped(std::uint32_t domain) const {
  std::size_t pages = 0;
  for (auto const& [address, mapping] : mappings_)
    if (mapping.domain == domain) pages += mapping.count;
  return pages;
}

std::byte* FakeGrants::map(std::uint32_t domain, std::uint32_t count, std::uint32_t const* references) {
  bool const granted = count != 0 && std::all_of(references, references + count,
                                                 [&](std::uint32_t each) { return used(domain, each); });
  if (!granted) {
    errno = EINVAL;
    return nullptr;
  }
  void* const range = mmap(nullptr, count * page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (range == MAP_FAILED) return nullptr;
  auto* const first = static_cast<std::byte*>(range);
  for (std::uint32_t n = 0; n < count; ++n) {
    auto const offset = static_cast<off_t>(frame_of_.at({domain, references[n]}) * page_bytes);
    if (mmap(first + n * page_bytes, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd_,
             offset) == MAP_FAILED)
      std::abort();
  }
  mappings_.emplace(first, Mapping{domain, count});
  return first;
}

bool FakeGrants::unmap(std::byte* mapping, std::uint32_t count) {
  auto const found = mappings_.find(mapping);
  if (found == mappings_.end() || found->second.count != count) return false;
  auto const [offset, port] = found->second.notice;
  if (offset < page_bytes) mapping[offset] = std::byte{0};
  munmap(mapping, count * page_bytes);
  mappings_.erase(found);
  if (port != ~0u) FakeEventChannels::get().notify(port); // the kernel holds the channel until then
  return true;
}

FakeEventChannels& FakeEventChannels::get() {
  static FakeEventChannels channels;
  return channels;
}

void FakeEventChannels::offer(std::uint32_t domain, std::uint32_t port) {
  if (port != 0) offered_[{domain, port}] = 0;
}

void FakeEventChannels::close_all(std::uint32_t domain) {
  std::erase_if(offered_, [&](auto const& entry) { return entry.first.first == domain; });
}

void FakeEventChannels::ring(std::uint32_t domain, std::uint32_t port) {
  auto const found = offered_.find({domain, port});
  if (found == offered_.end() || found->second == 0) return;
  rings(found->second, ports_.at(found->second));
}

void FakeEventChannels::rings(std::uint32_t number, Port& port) {
  port.rung = port.masked;
  if (!std::exchange(port.masked, true)) ring_.push_back(number);
}

std::size_t FakeEventChannels::bound(std::uint32_t domain) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(ports_, [&](auto const& entry) { return entry.second.domain == domain; }));
}

int FakeEventChannels::bind(std::uint32_t domain, std::uint32_t remote) {
  auto const found = offered_.find({domain, remote});
  if (found == offered_.end() || found->second != 0) return -1;
  std::uint32_t number = 1;
  while (ports_.contains(number))
    ++number; // the lowest, as Xen takes it: a number is used again soon
  found->second = number;
  rings(number, ports_.emplace(number, Port{domain, remote}).first->second);
  return static_cast<int>(number);
}

bool FakeEventChannels::unbind(std::uint32_t port) {
  auto const found = ports_.find(port);
  if (found == ports_.end()) {
    ++misused_;
    return false;
  }
  auto const offered = offered_.find({found->second.domain, found->second.remote});
  if (offered != offered_.end() && offered->second == port) offered_.erase(offered);
  ports_.erase(found);
  return true;
}

bool FakeEventChannels::notify(std::uint32_t port) { return ports_.contains(port); }

bool FakeEventChannels::unmask(std::uint32_t port) {
  auto const found = ports_.find(port);
  if (found == ports_.end()) {
    ++misused_;
    return false;
  }
  found->second.masked = false;
  if (std::exchange(found->second.rung, false)) rings(port, found->second);
  return true;
}

int FakeEventChannels::take() {
  if (ring_.empty()) std::abort(); // the backend would block
  std::uint32_t const port = ring_.front();
  ring_.pop_front();
  if (auto const found = ports_.find(port); found != ports_.end() && takes) takes(found->second.domain);
  return static_cast<int>(port);
}

} // namespace pegasus::xen::testing

namespace {

using pegasus::xen::testing::FakeEventChannels;
using pegasus::xen::testing::FakeGrants;

int result(bool done) {
  if (!done) errno = EINVAL;
  return done ? 0 : -1;
}

} // namespace

extern "C" {

xengnttab_handle* xengnttab_open(xentoollog_logger*, unsigned) {
  return reinterpret_cast<xengnttab_handle*>(&FakeGrants::get());
}
int xengnttab_close(xengnttab_handle*) { return 0; }
int xengnttab_fd(xengnttab_handle*) { return -1; }

void* xengnttab_map_domain_grant_refs(xengnttab_handle*, std::uint32_t count, std::uint32_t domain,
                                      std::uint32_t* references, int) {
  return FakeGrants::get().map(domain, count, references);
}

void* xengnttab_map_grant_ref_notify(xengnttab_handle*, std::uint32_t domain, std::uint32_t reference, int,
                                     std::uint32_t offset, evtchn_port_t port) {
  std::byte* const mapping = FakeGrants::get().map(domain, 1, &reference);
  if (mapping != nullptr) FakeGrants::get().set_notice(mapping, {offset, port});
  return mapping;
}

int xengnttab_unmap(xengnttab_handle*, void* mapping, std::uint32_t count) {
  return result(FakeGrants::get().unmap(static_cast<std::byte*>(mapping), count));
}

xenevtchn_handle* xenevtchn_open(xentoollog_logger*, unsigned) {
  return reinterpret_cast<xenevtchn_handle*>(&FakeEventChannels::get());
}
int xenevtchn_close(xenevtchn_handle*) { return 0; }
int xenevtchn_fd(xenevtchn_handle*) { return -1; }
xenevtchn_port_or_error_t xenevtchn_bind_interdomain(xenevtchn_handle*, std::uint32_t domain,
                                                     evtchn_port_t remote) {
  int const port = FakeEventChannels::get().bind(domain, remote);
  if (port < 0) errno = EINVAL;
  return port;
}
int xenevtchn_unbind(xenevtchn_handle*, evtchn_port_t port) {
  return result(FakeEventChannels::get().unbind(port));
}
int xenevtchn_notify(xenevtchn_handle*, evtchn_port_t port) {
  return result(FakeEventChannels::get().notify(port));
}
int xenevtchn_unmask(xenevtchn_handle*, evtchn_port_t port) {
  return result(FakeEventChannels::get().unmask(port));
}
xenevtchn_port_or_error_t xenevtchn_pending(xenevtchn_handle*) { return FakeEventChannels::get().take(); }
}
