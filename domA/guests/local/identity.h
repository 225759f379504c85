// SPDX-License-Identifier: Apache-2.0
// The domain of a local program: the one that it names, or the one that its user or its control group
// determines, whatever it names.
#pragma once

#include "domA/guests/guest_link.h"
#include "domA/guests/local/cgroup_rules.h"

#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <tl/expected.hpp>

namespace pegasus::local {

enum class DomainsBy { named, user, cgroup };
[[nodiscard]] std::string_view text_of(DomainsBy by);
[[nodiscard]] std::optional<DomainsBy> domains_by(std::string_view text);

// A user's domain: the login name, or "uid-1234" if there is none, if it is not valid for a domain, or if it
// reads like another user's number.
[[nodiscard]] std::string domain_of_user(uid_t user, std::optional<std::string> const& login);

// `own`: the domain determined by user or control group; `asked`: the domain that the program
// names, or empty.
[[nodiscard]] tl::expected<std::string, guests::Rejection> decide_domain(DomainsBy by, std::string const& own,
                                                                         std::string const& asked);

class Identity {
public:
  Identity(DomainsBy by, CgroupRules rules) : by_(by), rules_(std::move(rules)) {}

  // The domain of the process that connected to `socket`. Reads files of this machine; does not block.
  [[nodiscard]] tl::expected<std::string, guests::Rejection> domain_of(int socket, guests::Peer const& peer,
                                                                       std::string const& asked) const;

private:
  DomainsBy by_;
  CgroupRules rules_;
};

} // namespace pegasus::local
