// SPDX-License-Identifier: Apache-2.0
// The domains that pegasusd knows, each with a name of its own for operators.
//
// A local domain is its name. A guest of Xen is its domain id; its name in xenstore is a label, which a
// rename or a migration changes, and which another guest may have next. If the name that a guest wants is
// another domain's, its id follows ("web:12", no valid name of a local domain) until that name is free. So
// two domains are never one, whoever is renamed, created and destroyed in whatever order.
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

  // Null: there is none.
  [[nodiscard]] Domain* named(std::string_view name);
  [[nodiscard]] Domain* of_guest(std::uint32_t guest);

  // Makes a domain that is not there yet, of a valid name that no other domain has. The error is a message.
  [[nodiscard]] tl::expected<Domain*, std::string> add(std::string const& name);
  // The same for a guest, whose name in xenstore may be anything.
  [[nodiscard]] tl::expected<Domain*, std::string> add_guest(std::uint32_t guest, std::string const& wanted);
  // A guest's name in xenstore, as it is now. Its address stays.
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
