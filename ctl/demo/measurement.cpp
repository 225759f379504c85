// SPDX-License-Identifier: Apache-2.0
#include "ctl/demo/measurement.h"

#include "control/figure_values.h"

#include <algorithm>
#include <fmt/core.h>

namespace pegasus::ctl {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::duration<double> warm_up{1};      // queues fill, policies see all domains
constexpr std::chrono::duration<double> tail{0.5};       // programs still run when the window ends
constexpr std::chrono::duration<double> look_every{0.1}; // for first work and for ends of programs
constexpr std::chrono::duration<double> programs_start_limit{60};
constexpr std::chrono::duration<double> finish_limit{60}; // beyond the time a program was told to run

// Time for the programs to start one after another. Each counts its own time from its own start: if
// starting takes longer than this, the first one ends inside the window, and the run is repeated
// with the second value.
constexpr double start_slacks_s[] = {3, 15};

template <class... Values> void progress(fmt::format_string<Values...> format, Values&&... values) {
  fmt::print(stderr, "pegasus demo: {}\n", fmt::format(format, std::forward<Values>(values)...));
}

} // namespace

Result<RunReport> Measurement::run(std::string const& policy, bool mixed, double window_s) {
  for (double const slack_s : start_slacks_s) {
    double const program_s = window_s + warm_up.count() + tail.count() + slack_s;
    auto const demo = demo_domains(mixed, program_s);
    control::Domains measured;
    progress("policy {}: starting {} programs", policy, demo.size());
    auto const window = prepare(policy, demo)
                            .and_then([&] { return start(demo); })
                            .and_then([&] { return wait_until_all_work(); })
                            .and_then([&] { return measure(Seconds(window_s), measured); });
    if (!window) return tl::unexpected(window.error());
    auto const outcomes = collect(Seconds(program_s) + finish_limit);
    if (!outcomes) return tl::unexpected(outcomes.error());
    if (*window == Window::complete) return make_report(policy, demo, measured, *outcomes);
    progress("policy {}: the programs took so long to start that one ended inside the window; once more",
             policy);
  }
  return fail(FailureKind::local,
              "the programs take too long to start to be measured together: this machine is "
              "overloaded; end other work or use a longer --duration");
}

Result<void> Measurement::prepare(std::string const& policy, std::vector<DemoDomain> const& demo) {
  control::Request request;
  auto const colon = policy.find(':');
  request.mutable_policy()->set_name(policy.substr(0, colon));
  if (colon != std::string::npos) request.mutable_policy()->add_setting(policy.substr(colon + 1));
  if (auto const set = ask(request, control::Reply::kPolicy); !set) return set;
  for (DemoDomain const& domain : demo) {
    control::Request create;
    create.mutable_set_domain()->set_name(domain.name);
    create.mutable_set_domain()->set_create(true);
    create.mutable_set_domain()->add_setting(fmt::format("credits={}", domain.credits));
    if (auto const created = ask(create, control::Reply::kDone); !created) return created;
  }
  control::Request reset; // else the previous run's device time would look like this run's first work
  reset.mutable_reset_statistics();
  return ask(reset, control::Reply::kDone);
}

Result<void> Measurement::start(std::vector<DemoDomain> const& demo) {
  for (DemoDomain const& domain : demo) {
    auto guest = GuestProcess::start(domain, installation_, daemon_, signals_);
    if (!guest) return tl::unexpected(guest.error());
    guests_.push_back(std::move(*guest));
  }
  return {};
}

Result<void> Measurement::wait_until_all_work() {
  auto const deadline = steady_clock::now() + programs_start_limit;
  while (steady_clock::now() < deadline) {
    auto const now = domains();
    if (!now) return tl::unexpected(now.error());
    auto const works = [&](GuestProcess const& guest) {
      return std::any_of(now->domain().begin(), now->domain().end(), [&](control::Domain const& domain) {
        return domain.name() == guest.domain() && control::figures_of(domain).device_busy_ns > 0;
      });
    };
    if (std::all_of(guests_.begin(), guests_.end(), works)) return {};
    if (GuestProcess* const ended = first_ended()) {
      std::string const problem = ended->outcome().problem;
      return fail(FailureKind::local,
                  fmt::format("the program of {} ended before it used the accelerator{}{}", ended->domain(),
                              problem.empty() ? "" : ": ", problem));
    }
    if (auto const paused = pause(look_every); !paused) return paused;
  }
  return fail(FailureKind::local,
              fmt::format("not all programs used the accelerator within {} s", programs_start_limit.count()));
}

Result<Measurement::Window> Measurement::measure(Seconds window, control::Domains& measured) {
  if (auto const paused = pause(warm_up); !paused) return tl::unexpected(paused.error());
  progress("measuring for {} s", window.count());
  control::Request reset;
  reset.mutable_reset_statistics();
  auto now = ask(reset, control::Reply::kDone).and_then([&] { return pause(window); }).and_then([&] {
    return domains();
  });
  if (!now) return tl::unexpected(now.error());
  measured = std::move(*now);
  GuestProcess* const ended = first_ended();
  // A program that failed makes a failed run, which is not repeated.
  bool const in_good_order = ended != nullptr && ended->outcome().verified;
  return in_good_order ? Window::cut_short : Window::complete;
}

Result<std::vector<Outcome>> Measurement::collect(Seconds patience) {
  auto const deadline = steady_clock::now() + patience;
  auto const all_ended = [&] {
    return std::all_of(guests_.begin(), guests_.end(), [](GuestProcess& guest) { return guest.ended(); });
  };
  while (!all_ended() && steady_clock::now() < deadline)
    if (auto const paused = pause(look_every); !paused) return tl::unexpected(paused.error());
  std::vector<Outcome> outcomes;
  for (GuestProcess& guest : guests_) {
    outcomes.push_back(guest.outcome());
    if (!outcomes.back().verified)
      progress("the program of {} failed: {}", guest.domain(), outcomes.back().problem);
  }
  guests_.clear();
  return outcomes;
}

Result<void> Measurement::pause(Seconds time) {
  auto const deadline = steady_clock::now() + std::chrono::duration_cast<steady_clock::duration>(time);
  for (;;) {
    auto const left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now());
    if (left.count() <= 0) return {};
    auto const seen = signals_.wait(left);
    if (seen && seen->number != SIGCHLD)
      return tl::unexpected(Failure{FailureKind::signalled, "", seen->number});
    if (auto const died = daemon_.died())
      return fail(FailureKind::local, *died + "; its own message is above");
  }
}

Result<void> Measurement::ask(control::Request const& request, control::Reply::WhatCase expected) {
  return client_.ask(request, expected).map([](control::Reply const&) {}).map_error(failure_of);
}

Result<control::Domains> Measurement::domains() { return ask_domains(client_); }

GuestProcess* Measurement::first_ended() {
  auto const found =
      std::find_if(guests_.begin(), guests_.end(), [](GuestProcess& guest) { return guest.ended(); });
  return found == guests_.end() ? nullptr : &*found;
}

} // namespace pegasus::ctl
