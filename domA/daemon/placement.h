// SPDX-License-Identifier: Apache-2.0
// Whether a domain's first task is admitted, and on which accelerator: applies domA/placement to
// the current state.
#pragma once

#include "control/request_error.h"
#include "domA/daemon/domain_table.h"
#include "domA/placement/candidates.h"

#include <boost/asio/steady_timer.hpp>
#include <string>
#include <vector>

namespace pegasus::daemon {

class Placement {
public:
  // All but `io` must outlive it.
  Placement(boost::asio::io_context& io, Options const& options, Accelerators& accelerators,
            DomainTable& domains, RateLimitedLog& log)
      : options_(options), accelerators_(accelerators), domains_(domains), log_(log), line_review_(io) {}

  // Gives a domain without tasks its accelerator. The error says why it is refused or must wait in line.
  [[nodiscard]] tl::expected<void, guests::Rejection> place(Domain& domain);

  // For another task of a domain that has an accelerator: a task's context is charged to its domain.
  // `free`: the bytes that are left for it. The error says why it is refused.
  [[nodiscard]] tl::expected<void, guests::Rejection> has_room_for_context(Domain& domain,
                                                                           std::uint64_t free);

  // For a domain in use whose settings are about to change. The error names the reservation that
  // could not be kept.
  [[nodiscard]] control::RequestOutcome can_keep(Domain const& domain,
                                                 control::Settings const& settings) const;

private:
  enum class Counted { all, staying }; // staying: without domains whose last tasks are being ended
  [[nodiscard]] std::vector<placement::AcceleratorState> accelerators(Counted counted,
                                                                      Domain const& without) const;
  // The domains in use but one; add_activity() adds what the scheduler knows of them.
  [[nodiscard]] std::vector<placement::DomainState> domains_but(Domain const& without, Counted counted) const;
  void add_activity(std::vector<placement::DomainState>& domains, Domain const& without);
  // What is left for the domain by those in use and those that wait before it.
  [[nodiscard]] std::vector<placement::Available> available_to(Domain const& domain, Counted counted) const;
  [[nodiscard]] guests::Rejection not_admitted(Domain& domain);
  [[nodiscard]] guests::Rejection refuse(Domain& domain, std::string why);
  void wait_in_line(Domain& domain, std::string const& why);
  void review_line();

  Options const& options_;
  Accelerators& accelerators_;
  DomainTable& domains_;
  RateLimitedLog& log_;
  boost::asio::steady_timer line_review_;
};

} // namespace pegasus::daemon
