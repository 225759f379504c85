// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/observers.h"

#include <algorithm>
#include <cerrno>
#include <fmt/core.h>

namespace pegasus::daemon {

using guests::Rejection;

tl::expected<pegasus_connect_reply, Rejection> Observers::admit(Domain& domain, guests::Peer const& peer,
                                                                std::shared_ptr<guests::GuestLink> link) {
  if (domain.observers >= max_of_domain)
    return tl::unexpected(
        Rejection{EAGAIN, fmt::format("domain {} has {} programs that read its totals, the limit per "
                                      "domain: end one",
                                      domain.name, domain.observers)});
  auto const of_user =
      std::ranges::count_if(all_, [&](auto const& entry) { return entry.second.user == peer.user; });
  if (static_cast<std::size_t>(of_user) >= max_of_user)
    return tl::unexpected(
        Rejection{EAGAIN, fmt::format("user {} has {} programs that read totals, the limit per user: end one",
                                      peer.user, of_user)});
  auto const pages = link->make_totals();
  if (!pages) return tl::unexpected(Rejection{ENOMEM, pages.error()});
  std::uint32_t const number = next_;
  next_ = std::max(next_ + 1, shared::slot_count);
  all_.emplace(number, Observer{&domain, peer.user, std::move(link)});
  ++domain.observers;
  accelerators_.on_schedulers_thread([&] { accelerators_.totals().observe(number, domain.id, **pages); });
  log_(spdlog::level::info, "process {} reads the totals of domain {}", peer.pid, domain.name);
  pegasus_connect_reply reply = guests::make_connect_reply();
  reply.channel_bytes = sizeof(pegasus_totals);
  reply.task = number;
  return reply;
}

Domain& Observers::end(std::uint32_t number, pegasus_close_reason reason) {
  accelerators_.on_schedulers_thread([&] { accelerators_.totals().leave(number); });
  Observer const observer = std::move(all_.extract(number).mapped());
  observer.link->close(reason);
  --observer.domain->observers;
  return *observer.domain;
}

void Observers::end_all_of(Domain const& domain) {
  std::vector<std::uint32_t> numbers;
  for (auto const& [number, observer] : all_)
    if (observer.domain == &domain) numbers.push_back(number);
  for (std::uint32_t const number : numbers)
    end(number, PEGASUS_CLOSE_SHUTDOWN);
}

void Observers::stop() {
  while (!all_.empty())
    end(all_.begin()->first, PEGASUS_CLOSE_SHUTDOWN);
}

} // namespace pegasus::daemon
