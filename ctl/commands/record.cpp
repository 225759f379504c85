// SPDX-License-Identifier: Apache-2.0
// pegasusctl record: watches the daemon for some seconds, and writes what its domains did as a
// scenario of pegasus-sim.
#include "cli/options.h"
#include "cli/printable.h"
#include "control/quantity.h"
#include "ctl/commands/command.h"
#include "ctl/record/recorder.h"
#include "ctl/record/scenario_text.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <memory>
#include <thread>
#include <unistd.h>

namespace pegasus::ctl {
namespace {

using Seconds = std::chrono::duration<double>;

// An interval is not shorter than a few time slices of the usual tick.
constexpr double shortest_interval_s = 0.1;
constexpr double most_intervals = 100;
// A scenario lasts an hour at most.
constexpr std::chrono::nanoseconds shortest = std::chrono::seconds(1), longest = std::chrono::minutes(30);

struct RecordOptions {
  std::string file;
  std::chrono::nanoseconds duration = std::chrono::seconds(10);
};

tl::unexpected<Failure> cannot_write(std::string const& file, int error) {
  return fail(FailureKind::local,
              fmt::format("cannot write {}: {}", cli::printable(file), std::strerror(error)));
}

// Before the recording begins: whether the file can be written. Neither makes nor changes it.
Result<void> check_file(std::string const& file) {
  int const existing = open(file.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (existing >= 0) {
    close(existing);
    return {};
  }
  if (errno != ENOENT) return cannot_write(file, errno);
  std::string const folder = std::filesystem::path(file).parent_path().string();
  if (access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0) return cannot_write(file, errno);
  return {};
}

Result<void> write_file(std::string const& file, std::string const& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text << std::flush;
  if (!stream) return cannot_write(file, errno);
  return {};
}

Result<control::Policies> ask_policies(control::Client& client) {
  control::Request request;
  request.mutable_policies();
  return client.ask(request, control::Reply::kPolicies)
      .map([](control::Reply&& reply) { return std::move(*reply.mutable_policies()); })
      .map_error(failure_of);
}

Result<control::Accelerators> ask_accelerators(control::Client& client) {
  control::Request request;
  request.mutable_accelerators();
  return client.ask(request, control::Reply::kAccelerators)
      .map([](control::Reply&& reply) { return std::move(*reply.mutable_accelerators()); })
      .map_error(failure_of);
}

Result<Recording> watch(control::Client& client, double seconds) {
  auto policies = ask_policies(client);
  if (!policies) return tl::unexpected(policies.error());
  auto accelerators = ask_accelerators(client);
  if (!accelerators) return tl::unexpected(accelerators.error());
  auto domains = ask_domains(client);
  if (!domains) return tl::unexpected(domains.error());
  auto const began = std::chrono::steady_clock::now();
  Recorder recorder(*policies, std::move(*accelerators), std::move(*domains));
  auto const interval = std::max(shortest_interval_s, seconds / most_intervals);
  for (double at = interval; at < seconds + interval / 2; at += interval) {
    std::this_thread::sleep_until(began + std::chrono::duration_cast<std::chrono::nanoseconds>(Seconds(at)));
    domains = ask_domains(client);
    if (!domains) return tl::unexpected(domains.error());
    accelerators = ask_accelerators(client);
    if (!accelerators) return tl::unexpected(accelerators.error());
    if (auto const sampled = recorder.sample(std::move(*domains), std::move(*accelerators)); !sampled)
      return tl::unexpected(sampled.error());
  }
  policies = ask_policies(client);
  if (!policies) return tl::unexpected(policies.error());
  return std::move(recorder).end(*policies);
}

Json summary(Recording const& recording, std::string const& file) {
  Json domains = Json::array();
  for (RecordedDomain const& domain : recording.domains) {
    Interval const all = all_of(domain);
    domains.push_back({{"name", domain.name},
                       {"device_time_ns", all.device_ns},
                       {"calls", all.calls},
                       {"share", json_number(share_of(recording, domain))}});
  }
  return {{"file", file},
          {"policy", recording.policy},
          {"duration_ns", all_of(recording.domains.front()).length_ns},
          {"domains", std::move(domains)}};
}

Result<void> record(CommandContext const& context, RecordOptions const& options) {
  if (auto const writable = check_file(options.file); !writable) return writable;
  auto client = context.connect(control::Access::look);
  if (!client) return tl::unexpected(client.error());
  auto const recording = watch(*client, Seconds(options.duration).count());
  if (!recording) return tl::unexpected(recording.error());
  if (auto const written = write_file(options.file, scenario_text(*recording)); !written) return written;
  if (context.json) return print_json(summary(*recording, options.file));
  return print(fmt::format("{}: {}, {:.1f} s under {}\n", cli::printable(options.file),
                           control::counted(recording->domains.size(), "domain"),
                           static_cast<double>(all_of(recording->domains.front()).length_ns) * 1e-9,
                           cli::printable(recording->policy)));
}

} // namespace

void add_record_command(CLI::App& app, CommandContext& context) {
  CLI::App* const command = app.add_subcommand(
      "record", "write what the domains do as a scenario, which pegasus-sim runs under any policy");
  auto const options = std::make_shared<RecordOptions>();
  cli::add_text(*command, "FILE", options->file, "the scenario (TOML); an existing file is replaced")
      ->required();
  cli::add_time(*command, "-d,--duration", options->duration, "how long", shortest, longest);
  command->callback([&context, options] { context.result = record(context, *options); });
}

} // namespace pegasus::ctl
