// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/options.h"

#include "cli/command_line.h"
#include "cli/options.h"
#include "control/quantity.h"
#include "domA/daemon/config_file.h"
#include "domA/daemon/identity_arguments.h"
#include "domA/device/kinds.h"
#include "domA/guests/xen/guest_rules.h"
#include "domA/worker/start.h"
#include "plugins/policy_plugin.h"
#include "policies/registry.h"

#include <algorithm>
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <fmt/core.h>
#include <limits>
#include <spdlog/spdlog.h>
#include <unistd.h>

namespace pegasus::daemon {
namespace {

using namespace std::chrono_literals;

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
    cli::add_text(app, "--policy POLICY", policy,
                  "the scheduling policy to start with; with what is set of it: fair:slice=2ms");
    cli::add_texts(
        app, "--policy-plugin FILE", plugins,
        "load a policy from a shared object that only root can change; may be given several times");
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

constexpr std::uint64_t least_memory = 16 << 20;
constexpr std::uint64_t most_memory = std::uint64_t{1} << 40, most_host_memory = std::uint64_t{1} << 50;
constexpr std::uint64_t last_gpu = 63;

std::string read_gpus(std::string const& list, std::vector<int>& gpus) {
  gpus.clear();
  for (std::size_t at = 0; at <= list.size();) {
    std::string const word = list.substr(at, list.find(',', at) - at);
    auto const number = control::whole_number(word, 0, last_gpu);
    if (!number)
      return fmt::format("\"{}\" is not a list of numbers from 0 to {}, such as 0,2", list, last_gpu);
    gpus.push_back(static_cast<int>(*number));
    at += word.size() + 1;
  }
  return "";
}

template <class List>
std::vector<std::string> names_of(List const& list, std::vector<std::string> names = {}) {
  for (auto const& one : list)
    names.emplace_back(one.name);
  return names;
}

void add_accelerator_options(CLI::App& app, Options& options) {
  cli::add_choice(app, "--accelerator", options.accelerator, names_of(device::kinds, {"auto"}),
                  "cuda: a GPU; software: PTX on the CPU; auto: a GPU if there is one");
  cli::add_read(app, "--gpu NUMBER,...", "which GPUs, as the CUDA driver counts them: 0,2",
                [&options](std::string const& text) { return read_gpus(text, options.gpus); })
      ->default_str("all, with --private the first");
  cli::add_number(app, "--software-accelerators COUNT", options.software_accelerators,
                  "how many accelerators the CPU emulates, where no GPU is used", 1, 16);
  cli::add_number(
      app, "--software-multiprocessors COUNT", options.software_multiprocessors,
      "how many multiprocessors programs see on the software accelerator: some divide their work by it", 1,
      16);
  cli::add_choice(
      app, "--software-bounds", options.software_bounds, {"exact", "gap"},
      "what a kernel's access up to 128 bytes behind an allocation does on the software accelerator: "
      "fail, or read zeros and write nothing");
  cli::add_choice(app, "--compute-capability", options.compute_capability, names_of(device::capabilities),
                  "of the software accelerator: with 8.0 it runs programs that have no PTX for 7.5");
  cli::add_time(app, "--software-switch", options.software_switch,
                "what it takes the software accelerator to go from one program to another, as a GPU that "
                "changes its context; charged to no domain",
                0s, 100ms);
  cli::add_text(app, "--cuda-driver FILE", options.cuda_driver, "the CUDA driver's library");
  cli::add_read(app, "--driver-files PATHS",
                "what the CUDA driver needs besides libraries and its GPU's device nodes, separated by "
                "colons: MPS' pipe directory, say",
                [&options](std::string const& paths) {
                  options.driver_files = paths;
                  return paths.size() < sizeof worker::DeviceChoice::driver_files
                             ? std::string()
                             : fmt::format("longer than {} bytes",
                                           sizeof worker::DeviceChoice::driver_files - 1);
                });
}

void add_sharing_options(CLI::App& app, Options& options) {
  cli::add_time(app, "--tick", options.usual.tick, "the scheduling tick", 1ms, 1s);
  cli::add_time(app, "--slice", options.slice,
                "kernels on a GPU that take longer are split into pieces; 0: never", 0s, 1s);
  cli::add_number(app, "--queued-launches COUNT", options.queued_launches,
                  "how many launches of a program may be on a GPU at a time while other domains wait for it: "
                  "what its time slice can overrun its end by",
                  1, 1024);
  cli::add_time(app, "--runaway", options.runaway,
                "a kernel that outlives its time slice by this long is killed with its task", 100ms, 1h);
  cli::add_time(app, "--module-load", options.module_load,
                "a module that takes longer to load, which the driver may compile, ends its task; others "
                "have the accelerator meanwhile",
                100ms, 24h);
}

void add_memory_options(CLI::App& app, Options& options) {
  cli::add_size(app, "--memory", options.memory_bytes, "the memory of each accelerator that domains may use",
                least_memory, most_memory)
      ->default_str("the GPU's, or 1G on the CPU");
  cli::add_size(app, "--host-memory", options.host_memory,
                "how much of this machine's memory the workers of a domain may use together, besides the "
                "memory of accelerators on the CPU",
                least_memory, most_host_memory)
      ->default_str("half of it");
}

void add_guest_options(CLI::App& app, Options& options) {
  app.add_flag("!--no-xen", options.serve_xen, "serve local domains only, also on a Xen host");
  cli::add_text(app, "--guest-rules DIRECTORY", options.guest_rules,
                "of files *.toml: which Xen guests get an accelerator when they are created");
  cli::add_number(app, "--guest-tasks COUNT", options.guest_limits.tasks,
                  "how many programs of one Xen guest are served", 1, 256);
  cli::add_number(app, "--guest-pages COUNT", options.guest_limits.pages,
                  "how many granted pages of one Xen guest are mapped, of 4 KiB", 16, 1 << 20);
}

void add_process_options(CLI::App& app, Options& options) {
  cli::add_text(app, "--directory DIRECTORY", options.directory, "where control.sock and guest.sock are made")
      ->default_str("$XDG_RUNTIME_DIR/pegasus, else /run/pegasus");
  cli::add_text(app, "--worker FILE", options.worker_program, "the pegasus-avcpu program")
      ->default_str("the one beside this program");
  cli::add_number(app, "--worker-users USER", options.worker_users,
                  "the user id of the worker in the first slot; the others' follow. Without effect if we are "
                  "not root",
                  1000, 4'294'000'000);
  cli::add_number(app, "--ready-fd FD", options.ready_fd,
                  "write a byte to this descriptor when the sockets listen", 0,
                  std::numeric_limits<int>::max())
      ->default_str("");
  app.add_flag("--private", options.private_to_parent, "end when the process that started us ends");
}

// A private daemon is for its parent's programs only, which share one accelerator.
void complete(Options& options) {
  if (!options.gpus.empty() && options.accelerator == "auto") options.accelerator = "cuda";
  if (options.private_to_parent) {
    options.serve_xen = false;
    if (options.gpus.empty()) options.gpus = {0};
  }
  std::ranges::sort(options.gpus);
  options.gpus.erase(std::unique(options.gpus.begin(), options.gpus.end()), options.gpus.end());
}

} // namespace

Options parse_options(int argc, char** argv) {
  Options options;
  options.directory = default_directory();
  options.worker_program = beside_ourselves("pegasus-avcpu");
  options.host_memory = half_of_our_memory();
  CLI::App app{"Schedules guests' accelerator calls. See docs/operators/.", "pegasusd"};
  cli::prepare(app);
  ConfigArguments config(app);
  PolicyArguments policy{.policy = as_text(options.policy)};
  IdentityArguments identity;
  std::string admission = "refuse";
  std::string confinement(worker::confinements[static_cast<std::size_t>(options.confinement)]);
  add_process_options(app, options);
  policy.add_to(app);
  add_sharing_options(app, options);
  add_accelerator_options(app, options);
  add_memory_options(app, options);
  cli::add_choice(app, "--admission", admission, {"refuse", "wait"},
                  "what happens to a program whose domain's memory limit or SLO cannot be kept now: refuse, "
                  "or wait: it starts as soon as resources are free");
  identity.add_to(app);
  add_guest_options(app, options);
  cli::add_choice(
      app, "--confine", confinement, {worker::confinements.begin(), worker::confinements.end()},
      "how far workers are confined; less than `all` is for finding out what a driver needs, with --private "
      "only. trace: as all, and refused system calls are named; jail: no sandbox; none: nothing");
  config.parse(app, argc, argv, [&] {
    if (config.only_checks())
      for (std::string const& wrong : xen::GuestRules::read(options.guest_rules).problems())
        throw CLI::ValidationError("--guest-rules", wrong);
    identity.check();
    policy.check();
    options.confinement = worker::confinement_named(confinement).value();
    if (options.confinement != worker::Confinement::all && !options.private_to_parent)
      throw CLI::ValidationError("--confine", "less than `all` is for a daemon of one program: --private");
  });
  complete(options);
  identity.put_into(options);
  policy.put_into(options);
  options.admission = admission == "wait" ? Admission::wait : Admission::refuse;
  return options;
}

} // namespace pegasus::daemon
