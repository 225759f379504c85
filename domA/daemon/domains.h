// SPDX-License-Identifier: Apache-2.0
// The domains that pegasusd knows, each with a unique name for operators.
//
// A local domain is identified by its name. A guest of Xen is identified by its domain id; its name in
// xenstore is a label, which a rename or a migration changes, and which another guest may get next. If
// another domain has the name that a guest wants, the guest's id is appended ("web:12", not a valid name of a
// local domain) until that name is free. Two domains are therefore never confused, in whatever order they are
// renamed, created and destroyed.
#pragma once

#include "domA/daemon/domain.h"

#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace pegasus::daemon {

class Domains {
public:
  static constexpr std::size_t most = 1024;

  // Returns nullptr if there is none.
  [[nodiscard]] Domain* named(std::string_view name);
  [[nodiscard]] Domain* of_guest(std::uint32_t guest);

  // Makes a new domain with a valid name that no other domain has. The error is a message.
  [[nodiscard]] tl::expected<Domain*, std::string> add(std::string const& name);
  // As add(), for a guest, whose name in xenstore may be anything.
  [[nodiscard]] tl::expected<Domain*, std::string> add_guest(std::uint32_t guest, std::string const& wanted);
  // Sets a guest's current name in xenstore. The domain's address stays valid.
  void rename(Domain& guest, std::string const& wanted);
  void erase(Domain const& domain);

  [[nodiscard]] bool full() const { return by_name_.size() >= most; }
  [[nodiscard]] auto begin() { return by_name_.begin(); }
  [[nodiscard]] auto end() { return by_name_.end(); }
  [[nodiscard]] auto begin() const { return by_name_.begin(); }
  [[nodiscard]] auto end() const { return by_name_.end(); }

private:
  [[nodiscard]] std::string free_name(std::uint32_t guest, std::string const& wanted) const;

  std::map<std::string, Domain, std::less<>> by_name_;
  DomainId next_ = 1;
};

} // namespace pegasus::daemon
