// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/local/identity.h"

#include "control/domain_name.h"
#include "domA/guests/local/peer_process.h"

#include <algorithm>
#include <cerrno>
#include <fmt/core.h>

namespace pegasus::local {
namespace {

constexpr std::string_view number_prefix = "uid-";

bool reads_like_a_number(std::string_view login) {
  if (!login.starts_with(number_prefix)) return false;
  login.remove_prefix(number_prefix.size());
  return std::all_of(login.begin(), login.end(), [](char c) { return c >= '0' && c <= '9'; });
}

} // namespace

std::string_view text_of(DomainsBy by) {
  switch (by) {
  case DomainsBy::named:
    return "named";
  case DomainsBy::user:
    return "user";
  case DomainsBy::cgroup:
    return "cgroup";
  }
  return "";
}

std::optional<DomainsBy> domains_by(std::string_view text) {
  for (DomainsBy const by : {DomainsBy::named, DomainsBy::user, DomainsBy::cgroup})
    if (text == text_of(by)) return by;
  return std::nullopt;
}

std::string domain_of_user(uid_t user, std::optional<std::string> const& login) {
  if (login && control::valid_domain_name(*login) && !reads_like_a_number(*login)) return *login;
  return fmt::format("{}{}", number_prefix, user);
}

tl::expected<std::string, guests::Rejection> decide_domain(DomainsBy by, std::string const& own,
                                                           std::string const& asked) {
  if (by == DomainsBy::named) return asked.empty() ? "default" : asked;
  if (asked.empty() || asked == own) return own;
  return tl::unexpected(guests::Rejection{
      EPERM, fmt::format("this program's domain is {1}, by its {2}, not {0}: name {1} or no domain", asked,
                         own, text_of(by))});
}

tl::expected<std::string, guests::Rejection> Identity::domain_of(int socket, guests::Peer const& peer,
                                                                 std::string const& asked) const {
  if (by_ == DomainsBy::named) return decide_domain(by_, {}, asked);
  if (by_ == DomainsBy::user)
    return decide_domain(by_, domain_of_user(peer.user, login_name(peer.user)), asked);
  auto const own =
      cgroups_of(socket, peer).and_then([this](std::string const& text) { return rules_.domain_of(text); });
  if (own) return decide_domain(by_, *own, asked);
  return tl::unexpected(guests::Rejection{EPERM, fmt::format("{} (pegasusd --domains cgroup)", own.error())});
}

} // namespace pegasus::local
