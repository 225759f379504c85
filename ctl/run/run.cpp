// SPDX-License-Identifier: Apache-2.0
#include "ctl/run/run.h"

#include "cli/printable.h"
#include "control/client/client.h"
#include "control/domain_name.h"
#include "ctl/exit.h"
#include "ctl/process/environment.h"
#include "ctl/process/private_daemon.h"
#include "ctl/run/cuda_check.h"
#include "ctl/run/domain_name.h"
#include "ctl/run/program_path.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/core.h>
#include <unistd.h>

namespace pegasus::ctl {
namespace {

int complain(int status, std::string const& message) {
  fmt::print(stderr, "pegasus: {}\n", message);
  return status;
}

int complain(Failure const& failure) {
  if (failure.kind == FailureKind::signalled) end_by_signal(failure.signal);
  return complain(failure.kind == FailureKind::usage ? failure.exit_status() : status_cannot_run,
                  failure.message);
}

char const* variable(char const* name, char const* otherwise) {
  char const* const value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : value;
}

struct DomainChoice {
  std::string name;
  bool given = false; // by the user; else it is the program's name
};

Result<DomainChoice> choose_domain(RunOptions const& options) {
  std::string const given = options.domain.empty() ? variable("PEGASUS_DOMAIN", "") : options.domain;
  if (given.empty()) return DomainChoice{domain_name_for(options.command.front()), false};
  if (!control::valid_domain_name(given))
    return fail(FailureKind::usage, fmt::format("\"{}\" is not a name for a domain: {}",
                                                cli::printable(given), control::domain_name_rule));
  return DomainChoice{given, true};
}

bool changes_settings(RunOptions const& options) { return !options.settings.empty(); }

Result<void> make_domain(control::Client& client, std::string const& name, RunOptions const& options) {
  control::Request request;
  control::SetDomain& change = *request.mutable_set_domain();
  change.set_name(name);
  change.set_create(true);
  change.set_for_tasks(true);
  for (std::string const& setting : options.settings)
    change.add_setting(setting);
  return client.ask(request, control::Reply::kDone)
      .map_error(failure_of)
      .map([](control::Reply const& reply) {
        if (std::string const& notice = reply.done().notice(); !notice.empty())
          fmt::print(stderr, "pegasus: {}\n", cli::printable(notice));
      });
}

// The domain that the program must name to a running daemon; applies the requested settings to it. Empty
// if the daemon decides.
Result<std::string> prepare_domain(control::Client& client, DomainChoice const& choice,
                                   RunOptions const& options) {
  control::Request request;
  request.mutable_version();
  auto const reply = client.ask(request, control::Reply::kVersion).map_error(failure_of);
  if (!reply) return tl::unexpected(reply.error());
  std::string const& decides = reply->version().domains_by();
  bool const named = decides == "named" || decides.empty(); // empty: a daemon that has only "named"
  if (changes_settings(options)) {
    if (!named && !choice.given)
      return fail(FailureKind::usage,
                  fmt::format("this pegasusd takes a program's domain from its {}: name the domain whose "
                              "settings are to change with --domain",
                              cli::printable(decides)));
    if (auto const created = make_domain(client, choice.name, options); !created)
      return tl::unexpected(created.error());
  }
  return named || choice.given ? choice.name : "";
}

// For users without access to control.sock and status.sock: the first address with a usable guest.sock.
std::optional<control::Address> open_to_guests(control::Addresses const& addresses) {
  for (control::Address const& address : addresses.candidates)
    if (access(address.guest.c_str(), W_OK) == 0) return address;
  return std::nullopt;
}

Failure may_not_change(Failure const& why) {
  return {
      why.kind,
      fmt::format("--credits, --memory and the like change a domain, which is for the daemon's operator: {}; "
                  "without them the program runs with what its domain has",
                  why.message)};
}

// A program to start, with all that is needed to start it.
struct Guest {
  std::string program; // its file
  std::vector<std::string> arguments;
  std::string domain;
  Installation installation;

  [[nodiscard]] std::vector<std::string> environment(control::Address const& daemon) const {
    return guest_environment(current_environment(), installation, {daemon.guest, domain});
  }
  [[nodiscard]] int not_started(int error) const {
    // ENOENT although the file was found: the interpreter that it names is missing.
    char const* const hint = error == ENOENT ? " (the interpreter it names is missing)" : "";
    return complain(
        error == ENOENT ? status_not_found : status_not_executable,
        fmt::format("cannot start {}: {}{}", cli::printable(program), std::strerror(error), hint));
  }
};

// Becomes the program: this process has the program's process id, signals and exit status, and there
// is nothing to clean up.
int become_guest(Guest const& guest, control::Address const& daemon) {
  auto const environment = guest.environment(daemon);
  std::vector<char*> arguments;
  std::vector<char*> variables;
  for (std::string const& text : guest.arguments)
    arguments.push_back(const_cast<char*>(text.c_str())); // exec(3) does not write to them
  for (std::string const& text : environment)
    variables.push_back(const_cast<char*>(text.c_str()));
  arguments.push_back(nullptr);
  variables.push_back(nullptr);
  execvpe(guest.program.c_str(), arguments.data(), variables.data());
  return guest.not_started(errno);
}

// Passes on the signals that we receive until the program ends.
Ended attend(Child& program, SignalWatch& signals) {
  for (;;) {
    if (auto const ended = program.ended()) return *ended;
    SignalSeen const seen = signals.wait();
    if (seen.number != SIGCHLD && !seen.from_terminal) program.send(seen.number);
  }
}

int run_privately(Guest const& guest, RunOptions const& options) {
  Ended ended;
  {
    SignalWatch signals;
    auto daemon = PrivateDaemon::start(guest.installation, options.of_private, signals);
    if (!daemon) return complain(daemon.error());
    auto const prepared =
        control::Client::connect(daemon->address())
            .map_error(failure_of)
            .and_then([&](control::Client client) { return make_domain(client, guest.domain, options); });
    if (!prepared) return complain(prepared.error());
    Spawn spawn;
    spawn.program = guest.program;
    spawn.arguments = guest.arguments;
    spawn.environment = guest.environment(daemon->address());
    spawn.death_signal = SIGTERM;
    spawn.mask = &signals.original_mask();
    auto program = Child::start(spawn);
    if (!program) return guest.not_started(program.error());
    ended = attend(*program, signals);
    if (auto const died = daemon->died()) complain(0, *died);
  } // the daemon is stopped and its directory removed
  if (ended.by_signal()) end_by_signal(ended.signal());
  return ended.exit_code();
}

Result<void> check_combination(RunOptions const& options) {
  if (options.private_daemon && options.daemon)
    return fail(FailureKind::usage,
                "--private starts a daemon of its own and --daemon names a running one: choose one");
  return {};
}

Failure not_ours_to_choose(std::string const& socket) {
  return {
      FailureKind::usage,
      fmt::format(
          "--policy, --policy-plugin, --accelerator and --compute-capability are for a private daemon, and "
          "one is running at {}: "
          "add --private, or use `pegasusctl policy`",
          socket)};
}

int join_or_run_privately(Guest guest, DomainChoice const& choice, RunOptions const& options) {
  control::Addresses const addresses =
      control::find_addresses(options.daemon, [](char const* name) { return std::getenv(name); });
  auto const access = changes_settings(options) ? control::Access::change : control::Access::look;
  auto client = control::Client::connect(addresses, access).map_error(failure_of);
  if (!client && client.error().kind == FailureKind::absent && !addresses.chosen)
    return run_privately(guest, options);
  if (!client && client.error().kind == FailureKind::forbidden) {
    if (changes_settings(options)) return complain(may_not_change(client.error()));
    if (auto const address = open_to_guests(addresses)) return become_guest(guest, *address);
  }
  if (!client) return complain(client.error());
  if (options.of_private != PrivateDaemonOptions{})
    return complain(not_ours_to_choose(client->address().control));
  control::Address const address = client->address();
  auto prepared = prepare_domain(*client, choice, options);
  if (!prepared) return complain(prepared.error());
  guest.domain = std::move(*prepared);
  return become_guest(guest, address);
}

} // namespace

int run_program(RunOptions const& options) {
  auto const installation = Installation::find();
  if (!installation) return complain(installation.error());
  auto const domain = check_combination(options).and_then([&] { return choose_domain(options); });
  if (!domain) return complain(domain.error());
  auto const program =
      find_program(options.command.front(), variable("PATH", "/usr/local/bin:/usr/bin:/bin"));
  if (!program) return complain(program.error().exit_status, program.error().message);
  if (auto const problem = cuda_problem(*program, installation->lib); !problem.empty())
    return complain(status_cannot_run, problem);
  if (auto const complete = check_guest_libraries(*installation); !complete)
    return complain(complete.error());

  Guest const guest{*program, options.command, domain->name, *installation};
  if (options.private_daemon) return run_privately(guest, options);
  return join_or_run_privately(guest, *domain, options);
}

} // namespace pegasus::ctl
