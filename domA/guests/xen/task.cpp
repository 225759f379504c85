// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/xen/task.h"

#include "domA/guests/channel_page.h"
#include "domA/guests/totals_page.h"
#include "frontend/protocol/xen.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fmt/core.h>

namespace pegasus::xen {
namespace {

using guests::Rejection;

constexpr std::uint64_t any_u32 = 0xffffffff;
constexpr unsigned max_idle_rings = 16;

tl::unexpected<Rejection> refuse(int error, std::string message) {
  return tl::unexpected(Rejection{static_cast<std::uint32_t>(error), std::move(message)});
}

} // namespace

tl::expected<std::shared_ptr<Task>, Rejection> Task::open(Backend& backend, std::uint32_t domain,
                                                          std::string front, std::string back,
                                                          std::size_t max_pages) {
  std::shared_ptr<Task> task(new Task(backend, domain, std::move(front), std::move(back), max_pages));
  if (auto read = task->read_directory(); !read) return tl::unexpected(read.error());
  if (auto bound = task->bind_control(); !bound) return tl::unexpected(bound.error());
  auto header =
      GrantedPages::map_with_notice(backend.grants.get(), domain, task->directory_.references().front(),
                                    offsetof(pegasus_channel_header, host_alive), task->control_);
  if (!header) return refuse(ENOMEM, header.error());
  task->header_ = std::move(*header);
  return task;
}

Task::~Task() {
  if (bound_) xenevtchn_unbind(backend_.events.get(), control_);
}

tl::expected<void, Rejection> Task::read_directory() {
  auto const first = backend_.store.number(front_ + "/directory", any_u32);
  if (!first) return refuse(EPROTO, "directory is not a grant reference");
  auto reference = static_cast<std::uint32_t>(*first);
  do {
    auto const page = GrantedPages::map(backend_.grants.get(), domain_, std::span(&reference, 1));
    if (!page) return refuse(EPROTO, page.error());
    pegasus_xen_directory copy; // the page may change while we read it
    std::memcpy(&copy, page->data(), sizeof copy);
    auto const next = directory_.take(copy);
    if (!next) return tl::unexpected(next.error());
    reference = *next;
  } while (reference != 0);
  return {};
}

tl::expected<void, Rejection> Task::bind_control() {
  auto const port = backend_.store.number(front_ + "/control", any_u32);
  if (!port) return refuse(EPROTO, "control is not an event channel");
  auto const bound =
      xenevtchn_bind_interdomain(backend_.events.get(), domain_, static_cast<evtchn_port_t>(*port));
  if (bound < 0) return refuse(EPROTO, fmt::format("cannot bind control: {}", std::strerror(errno)));
  control_ = static_cast<evtchn_port_t>(bound);
  bound_ = true;
  return {};
}

bool Task::gone() {
  auto& alive = header_.as<pegasus_channel_header>().guest_alive;
  if (std::atomic_ref(alive).load(std::memory_order_relaxed) == 0 || ++rings_ > max_idle_rings) return true;
  xenevtchn_unmask(backend_.events.get(), control_);
  return false;
}

// Maps only what must be written: mapping a large arena would keep other guests waiting.
tl::expected<guests::ChannelSource, std::string> Task::make_channel(ring::Geometry const& geometry,
                                                                    std::uint64_t) {
  auto const doorbell = backend_.store.number(front_ + "/doorbell", any_u32);
  if (!doorbell) return tl::unexpected(std::string("doorbell is not an event channel"));
  auto const& references = directory_.references();
  std::size_t const pages = geometry.arena_offset / PEGASUS_XEN_PAGE + 1;
  auto beginning = GrantedPages::map(backend_.grants.get(), domain_, std::span(references).first(pages));
  if (!beginning) return tl::unexpected(beginning.error());
  beginning_ = std::move(*beginning);
  reply_offset_ = geometry.arena_offset;
  ring::initialize(beginning_.data(), geometry, agreement().version);

  std::size_t const bytes = references.size() * sizeof references[0];
  auto handed_over = guests::SharedMemory::create("pegasus-grants", bytes);
  if (!handed_over) return tl::unexpected(handed_over.error());
  handed_over_ = std::move(*handed_over);
  std::memcpy(handed_over_.data(), references.data(), bytes);
  return guests::ChannelSource{guests::ChannelKind::xen, handed_over_.fd(), domain_,
                               static_cast<std::uint32_t>(*doorbell)};
}

tl::expected<pegasus_totals*, std::string> Task::make_totals() {
  std::span const references(directory_.references());
  auto const before = PEGASUS_XEN_TOTALS_OFFSET / PEGASUS_XEN_PAGE;
  auto beginning = GrantedPages::map(backend_.grants.get(), domain_, references.first(before));
  if (!beginning) return tl::unexpected(beginning.error());
  auto totals = GrantedPages::map(backend_.grants.get(), domain_, references.subspan(before));
  if (!totals) return tl::unexpected(totals.error());
  beginning_ = std::move(*beginning);
  reply_offset_ = PEGASUS_XEN_PAGE;
  totals_ = std::move(*totals);
  guests::initialize_totals(totals_.as<pegasus_totals>(), agreement().version);
  return &totals_.as<pegasus_totals>();
}

void Task::connect(pegasus_connect_reply connect_reply) {
  guests::agree(connect_reply, agreement());
  std::ranges::copy(guests::bytes_of(connect_reply), beginning_.data() + reply_offset_);
  beginning_.unmap();
  backend_.store.write(back_ + "/state", std::to_string(PEGASUS_XEN_CONNECTED));
}

void Task::close(pegasus_close_reason reason) {
  if (header_.data() == nullptr) return;
  guests::close_channel(header_.as<pegasus_channel_header>(), reason);
  xenevtchn_notify(backend_.events.get(), control_);
  beginning_.unmap();
  totals_.unmap();
  header_.unmap();
  backend_.store.remove(front_);
  backend_.store.remove(back_);
  if (closed) closed();
}

} // namespace pegasus::xen
