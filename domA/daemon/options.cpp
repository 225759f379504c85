// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/options.h"

#include "domA/daemon/config_file.h"
#include "domA/device/kinds.h"
#include "domA/worker/start.h"
#include "plugins/policy_plugin.h"
#include "policies/registry.h"

#include <algorithm>
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <fmt/core.h>
#include <grp.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

namespace pegasus::daemon {
namespace {

std::string default_directory() {
  char const* const runtime = std::getenv("XDG_RUNTIME_DIR");
  return runtime != nullptr && *runtime != '\0' ? std::string(runtime) + "/pegasus" : "/run/pegasus";
}

std::uint64_t half_of_our_memory() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) / 2;
}

std::string beside_ourselves(char const* name) {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / name).string();
}

// As policies::choose() takes it, with what differs from the usual.
std::string as_text(policies::Choice const& choice) {
  std::string text(choice.policy->name);
  char separator = ':';
  for (policies::Tunable const& tunable : choice.policy->tunables)
    if (std::string const value = tunable.value(choice.tunables); value != tunable.value({})) {
      text += fmt::format("{}{}={}", separator, tunable.name, value);
      separator = ',';
    }
  return text;
}

// A policy that fails leaves the accelerators without a schedule: pegasusd does not go on.
void end_of_policy(std::string const& what) {
  spdlog::critical("{}", what);
  std::_Exit(1);
}

// The policy to start with, and what is loaded for it.
struct PolicyArguments {
  std::string policy;
  std::vector<std::string> plugins{};

  void add_to(CLI::App& app) {
    app.add_option("--policy", policy,
                   "the scheduling policy to start with; with what is set of it: fair:slice=2ms")
        ->capture_default_str();
    app.add_option("--policy-plugin", plugins,
                   "load a policy from a shared object that only root can change; may be given several times")
        ->allow_extra_args(false);
  }
  // Loads the plug-ins first: --policy may name theirs.
  void check() const {
    auto const trust = geteuid() == 0 ? plugins::Trust::root : plugins::Trust::us_and_root;
    for (std::string const& file : plugins) {
      auto const loaded = plugins::load_policy(file, trust, end_of_policy);
      if (!loaded) throw CLI::ValidationError("--policy-plugin", loaded.error());
    }
    auto const parsed = policies::choose(policy, {}, {});
    if (auto const* const invalid = std::get_if<policies::InvalidChoice>(&parsed))
      throw CLI::ValidationError("--policy", invalid->text);
  }
  void put_into(Options& options) const { // all values have been checked
    options.policy = std::get<policies::Choice>(policies::choose(policy, {}, options.usual));
    options.policy_plugins = plugins;
  }
};

std::optional<gid_t> group_named(std::string const& name) {
  group const* const found = getgrnam(name.c_str()); // before there is a second thread
  if (found == nullptr) return std::nullopt;
  return found->gr_gid;
}

std::string check_group(std::string const& name) {
  return group_named(name) ? std::string() : fmt::format("there is no group \"{}\" on this machine", name);
}

// Which users may connect, and as which domain.
struct IdentityArguments {
  std::string socket_group;
  std::string domains{text_of(local::DomainsBy::named)};
  std::vector<std::string> cgroup_rules;

  void add_to(CLI::App& app) {
    app.add_option("--socket-group", socket_group,
                   "the group whose users may use guest.sock and status.sock (0660); default: guest.sock as "
                   "the umask leaves it")
        ->check(check_group);
    app.add_option("--domains", domains,
                   "what decides which domain a local program is in: named (the program), user, cgroup")
        ->check(CLI::IsMember({"named", "user", "cgroup"}))
        ->capture_default_str();
    app.add_option(
           "--cgroup-rule", cgroup_rules,
           "REGEX=NAME: processes in a control group of which a component matches REGEX are in domain "
           "NAME; takes the place of the usual rules; may be given several times")
        ->check([](std::string const& rule) {
          auto const parsed = local::CgroupRules::parse({&rule, 1});
          return parsed ? std::string() : parsed.error();
        })
        ->allow_extra_args(false);
  }
  void check() const {
    if (!cgroup_rules.empty() && domains != text_of(local::DomainsBy::cgroup))
      throw CLI::ValidationError("--cgroup-rule", "these rules are for --domains cgroup");
  }
  void put_into(Options& options) const { // all values have been checked
    options.domains = local::domains_by(domains).value();
    if (!cgroup_rules.empty()) options.cgroup_rules = local::CgroupRules::parse(cgroup_rules).value();
    if (!socket_group.empty()) options.socket_group = group_named(socket_group);
  }
};

std::vector<std::string> accelerator_choices() {
  std::vector<std::string> choices{"auto"};
  for (device::Kind const& kind : device::kinds)
    choices.emplace_back(kind.name);
  return choices;
}

} // namespace

Options parse_options(int argc, char** argv) {
  Options options;
  options.directory = default_directory();
  options.worker_program = beside_ourselves("pegasus-avcpu");
  CLI::App app{"pegasusd: schedules guests' accelerator calls. See docs/operators/."};
  app.set_version_flag("--version", PEGASUS_VERSION);
  ConfigArguments config(app);
  app.add_option("--directory", options.directory, "where control.sock and guest.sock are made")
      ->capture_default_str();
  PolicyArguments policy{.policy = as_text(options.policy)};
  policy.add_to(app);
  app.add_option("--accelerator", options.accelerator,
                 "cuda: a GPU; software: PTX on the CPU; auto: a GPU if there is one")
      ->check(CLI::IsMember(accelerator_choices()))
      ->capture_default_str();
  app.add_option("--gpu", options.gpus,
                 "which GPUs, as the CUDA driver counts them: 0,2; default: all, with --private the first")
      ->delimiter(',')
      ->check(CLI::Range(0, 63));
  app.add_option("--software-accelerators", options.software_accelerators,
                 "how many accelerators the CPU stands for, where no GPU is used")
      ->check(CLI::Range(1, 16))
      ->capture_default_str();
  app.add_option("--cuda-driver", options.cuda_driver, "the CUDA driver's library")->capture_default_str();
  app.add_option("--driver-files", options.driver_files,
                 "what the CUDA driver needs besides libraries and its GPU's device nodes, separated by "
                 "colons: MPS' pipe directory, say")
      ->check([](std::string const& paths) {
        return paths.size() < sizeof worker::DeviceChoice::driver_files
                   ? std::string()
                   : fmt::format("longer than {} bytes", sizeof worker::DeviceChoice::driver_files - 1);
      });
  app.add_option("--worker-users", options.worker_users,
                 "the user id of the worker in the first slot; the others' follow. Without effect if we are "
                 "not root")
      ->check(CLI::Range(1000u, 4'294'000'000u))
      ->capture_default_str();
  std::int64_t software_switch_us = options.software_switch.count();
  app.add_option("--software-switch-us", software_switch_us,
                 "what it takes the software accelerator to go from one program to another, as a GPU that "
                 "changes its context; charged to no domain")
      ->check(CLI::Range(0, 100'000))
      ->capture_default_str();
  std::int64_t slice_us = options.slice.count();
  app.add_option("--slice-us", slice_us, "kernels on a GPU that take longer are split into pieces; 0: never")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  app.add_option(
         "--queued-launches", options.queued_launches,
         "how many launches of a program may be on a GPU at a time while other domains wait for it: what its "
         "time slice can overrun its end by")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--memory", options.memory_bytes,
                 "the memory of each accelerator that domains may use, e.g. 512M, 2G; default: the GPU's, or "
                 "1G on the CPU")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(std::uint64_t{16} << 20, std::uint64_t{1} << 40));
  options.host_memory = half_of_our_memory();
  app.add_option("--host-memory", options.host_memory,
                 "how much of this machine's memory the workers of a domain may use together, besides the "
                 "memory of accelerators on the CPU, e.g. 4G; default: half of it")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(std::uint64_t{16} << 20, std::uint64_t{1} << 50));
  std::string admission = "refuse";
  app.add_option(
         "--admission", admission,
         "what becomes of a program whose domain's memory limit or SLO cannot be kept now: refuse, or wait: "
         "it goes on by itself when that is possible")
      ->check(CLI::IsMember({"refuse", "wait"}))
      ->capture_default_str();
  std::int64_t tick_ms = std::chrono::duration_cast<std::chrono::milliseconds>(options.usual.tick).count();
  std::int64_t runaway_ms = options.runaway.count();
  app.add_option("--tick-ms", tick_ms, "the scheduling tick in milliseconds")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--runaway-ms", runaway_ms,
                 "a kernel that outlives its time slice by this long is killed with its task")
      ->check(CLI::Range(100, 3'600'000))
      ->capture_default_str();
  std::int64_t module_load_ms = options.module_load.count();
  app.add_option(
         "--module-load-ms", module_load_ms,
         "a module that takes longer to load, which the driver may compile, ends its task; others have the "
         "accelerator meanwhile")
      ->check(CLI::Range(100, 86'400'000))
      ->capture_default_str();
  IdentityArguments identity;
  identity.add_to(app);
  app.add_option("--ready-fd", options.ready_fd, "write a byte to this descriptor when the sockets listen");
  std::string confinement(worker::confinements[static_cast<std::size_t>(options.confinement)]);
  app.add_option("--confine", confinement,
                 "how far workers are confined; less than `all` is for finding out what a driver needs, with "
                 "--private "
                 "only. trace: as all, and refused system calls are named; jail: no sandbox; none: nothing")
      ->check(
          CLI::IsMember(std::vector<std::string>(worker::confinements.begin(), worker::confinements.end())))
      ->capture_default_str();
  app.add_flag("--private", options.private_to_parent, "end when the process that started us ends");
  app.add_flag("!--no-xen", options.serve_xen, "serve local domains only, also on a Xen host");
  app.add_option("--guest-tasks", options.guest_limits.tasks, "how many programs of one Xen guest are served")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  app.add_option(
         "--guest-pages", options.guest_limits.pages,
         "how many granted pages of one Xen guest are mapped, of 4 KiB; by default the call buffers of "
         "16 programs")
      ->check(CLI::Range(16, 1 << 20))
      ->capture_default_str();
  app.add_option("--worker", options.worker_program, "the pegasus-avcpu program")->capture_default_str();
  config.parse(app, argc, argv, [&] {
    identity.check();
    policy.check();
    options.confinement = worker::confinement_named(confinement).value();
    if (options.confinement != worker::Confinement::all && !options.private_to_parent)
      throw CLI::ValidationError("--confine", "less than `all` is for a daemon of one program: --private");
  });
  if (!options.gpus.empty() && options.accelerator == "auto") options.accelerator = "cuda";
  if (options.private_to_parent) { // for its parent's programs only, which share one accelerator
    options.serve_xen = false;
    if (options.gpus.empty()) options.gpus = {0};
  }
  std::ranges::sort(options.gpus);
  options.gpus.erase(std::unique(options.gpus.begin(), options.gpus.end()), options.gpus.end());
  options.usual.tick = std::chrono::milliseconds(tick_ms);
  identity.put_into(options);
  policy.put_into(options);
  options.admission = admission == "wait" ? Admission::wait : Admission::refuse;
  options.runaway = std::chrono::milliseconds(runaway_ms);
  options.module_load = std::chrono::milliseconds(module_load_ms);
  options.slice = std::chrono::microseconds(slice_us);
  options.software_switch = std::chrono::microseconds(software_switch_us);
  return options;
}

} // namespace pegasus::daemon
