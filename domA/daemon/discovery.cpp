// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/discovery.h"

#include "base/unique_fd.h"
#include "domA/daemon/driver_library.h"
#include "domA/device/attributes.h"
#include "domA/device/capabilities.h"
#include "domA/device/kinds.h"
#include "domA/worker/gpu_nodes.h"
#include "domA/worker/probe.h"
#include "domA/worker/wire_profile.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <numeric>
#include <poll.h>
#include <span>
#include <spawn.h>
#include <spdlog/spdlog.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace pegasus::daemon {
namespace {

constexpr std::uint32_t max_accelerators = 64; // of a kind
constexpr int probe_timeout_ms = 60'000;       // the first use after a boot loads firmware

std::vector<std::string> driver_environment() {
  std::vector<std::string> result;
  for (char** variable = environ; *variable != nullptr; ++variable)
    for (std::string_view const prefix : {"CUDA_", "PEGASUS_SOCKET=", "PEGASUS_DOMAIN="})
      if (std::string_view(*variable).starts_with(prefix)) result.emplace_back(*variable);
  result.emplace_back("CUDA_CACHE_DISABLE=1"); // guests' workers could forge the contents of a cache
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words)
    result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

// Reads the answer; returns fewer bytes if the process ended or took too long.
std::size_t read_reply(int fd, worker::Probed& probed) {
  auto* const bytes = reinterpret_cast<char*>(&probed);
  std::size_t got = 0;
  while (got < sizeof probed) {
    pollfd waiting{fd, POLLIN, 0};
    if (poll(&waiting, 1, probe_timeout_ms) <= 0) break;
    ssize_t const more = read(fd, bytes + got, sizeof probed - got);
    if (more <= 0) break;
    got += static_cast<std::size_t>(more);
  }
  return got;
}

// In Linux's format. Empty if the driver does not report it.
std::string pci_address(device::Profile const& profile) {
  using namespace device::attribute;
  auto const number = [&](std::size_t attribute) {
    return static_cast<std::uint16_t>(std::max(profile.attribute[attribute], 0));
  };
  if (number(pci_bus) == 0 && number(pci_device) == 0 && number(pci_domain) == 0) return {};
  return fmt::format("{:04x}:{:02x}:{:02x}.0", number(pci_domain), number(pci_bus), number(pci_device));
}

// In the format of nvidia-smi and CUDA_VISIBLE_DEVICES.
std::string uuid_text(std::span<std::uint8_t const, 16> uuid) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < uuid.size(); ++i)
    text += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
  return text;
}

// What a GPU takes to change its context, where that cannot be measured.
constexpr std::chrono::microseconds assumed_switch{100};
// Less is taken for this, so that `lead` gives a GPU to one domain at a time: only then its use
// can be measured.
constexpr std::chrono::nanoseconds least_switch = std::chrono::microseconds(20);

std::chrono::nanoseconds switch_cost(Options const& options, std::uint32_t kind,
                                     worker::Probed const& probed) {
  if (!device::kinds[kind].alternates) return options.software_switch;
  if (probed.switch_ns < 0) return assumed_switch;
  return std::max(least_switch, std::chrono::nanoseconds(probed.switch_ns));
}

FoundAccelerator to_accelerator(Options const& options, std::uint32_t kind, worker::Probed const& probed) {
  FoundAccelerator accelerator;
  accelerator.profile = worker::from_wire(probed.device);
  std::uint64_t const requested = options.memory_bytes.value_or(accelerator.profile.memory_bytes);
  accelerator.memory_bytes =
      device::kinds[kind].memory_is_hosts ? requested : std::min(requested, accelerator.profile.memory_bytes);
  if (!device::kinds[kind].has_driver)
    accelerator.profile.attribute[device::attribute::multiprocessors] = options.software_multiprocessors;
  accelerator.switch_cost = switch_cost(options, kind, probed);
  accelerator.device = {.kind = kind,
                        .queued_launches = options.queued_launches,
                        .uuid = {},
                        .pci = {},
                        .context_bytes = probed.context_bytes,
                        .slice_ns = std::chrono::nanoseconds(options.slice).count(),
                        .module_load_ns = std::chrono::nanoseconds(options.module_load).count(),
                        .switch_ns = std::chrono::nanoseconds(options.software_switch).count(),
                        .forgives_gaps = options.software_bounds == "gap" ? 1U : 0U,
                        .compute_capability = device::capability_named(options.compute_capability),
                        .group = 0,
                        .driver = {},
                        .driver_files = {}};
  std::ranges::copy(accelerator.profile.uuid, accelerator.device.uuid);
  pci_address(accelerator.profile).copy(accelerator.device.pci, sizeof accelerator.device.pci - 1);
  if (device::kinds[kind].has_driver)
    accelerator.device.group = worker::access_to(worker::gpu_nodes(accelerator.device.pci)).group;
  options.cuda_driver.copy(accelerator.device.driver, sizeof accelerator.device.driver - 1);
  options.driver_files.copy(accelerator.device.driver_files, sizeof accelerator.device.driver_files - 1);
  return accelerator;
}

struct Outcome {
  int count = 0; // how many of the kind exist, as far as known
  tl::expected<FoundAccelerator, std::string> found;
};

Outcome not_found(std::string why) { return {0, tl::unexpected(std::move(why))}; }

Outcome probe(Options const& options, std::uint32_t kind, int ordinal) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    return not_found(fmt::format("cannot probe for accelerators: {}", std::strerror(errno)));
  base::UniqueFd const answer(ends[0]);
  base::UniqueFd question(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, question.get(), STDOUT_FILENO);
  std::vector<std::string> words{options.worker_program,
                                 worker::probe_argument,
                                 std::string(device::kinds[kind].name),
                                 options.cuda_driver,
                                 std::to_string(ordinal),
                                 std::to_string(device::capability_named(options.compute_capability))};
  std::vector<std::string> environment = driver_environment();
  pid_t pid = -1;
  int const error = posix_spawn(&pid, options.worker_program.c_str(), &actions, nullptr,
                                pointers(words).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    return not_found(fmt::format("cannot start {}: {}", options.worker_program, std::strerror(error)));
  question = base::UniqueFd();
  worker::Probed probed{};
  bool const complete = read_reply(answer.get(), probed) == sizeof probed;
  kill(pid, SIGKILL); // it has answered or failed
  waitpid(pid, nullptr, 0);
  if (!complete)
    return not_found(device::kinds[kind].has_driver
                         ? fmt::format("cannot initialise the CUDA driver {}", options.cuda_driver)
                         : fmt::format("{} does not answer", options.worker_program));
  probed.error[sizeof probed.error - 1] = '\0';
  int const count = static_cast<int>(std::min(probed.count, max_accelerators));
  if (probed.error[0] != '\0') return {count, tl::unexpected(std::string(probed.error))};
  return {count, to_accelerator(options, kind, probed)};
}

using Found = tl::expected<std::vector<FoundAccelerator>, std::string>;

// All requested accelerators must exist.
Found probe_ordinals(Options const& options, std::uint32_t kind, std::span<int const> ordinals) {
  std::vector<FoundAccelerator> accelerators;
  for (int const ordinal : ordinals) {
    auto accelerator = probe(options, kind, ordinal).found;
    if (!accelerator) return tl::unexpected(accelerator.error());
    accelerators.push_back(std::move(*accelerator));
  }
  return accelerators;
}

// An accelerator that cannot be used is left out, if another one can.
Found probe_all(Options const& options, std::uint32_t kind) {
  std::vector<FoundAccelerator> accelerators;
  std::vector<std::string> problems;
  for (int ordinal = 0, count = 1; ordinal < count; ++ordinal) {
    Outcome outcome = probe(options, kind, ordinal);
    count = std::max(count, outcome.count);
    if (outcome.found)
      accelerators.push_back(std::move(*outcome.found));
    else
      problems.push_back(std::move(outcome.found.error()));
  }
  if (accelerators.empty()) return tl::unexpected(problems.front());
  for (std::string const& problem : problems)
    spdlog::warn("leaving out a GPU: {}", problem);
  return accelerators;
}

Found probe_drivers(Options options, std::uint32_t kind) {
  char const* const path = std::getenv("LD_LIBRARY_PATH");
  auto const ours =
      std::filesystem::path(options.worker_program).parent_path().parent_path() / "lib" / "libcuda.so.1";
  std::string problems;
  for (std::string const& library :
       driver_candidates(options.cuda_driver, path == nullptr ? "" : path, ours)) {
    options.cuda_driver = library;
    Found found =
        options.gpus.empty() ? probe_all(options, kind) : probe_ordinals(options, kind, options.gpus);
    if (found) return found;
    problems += (problems.empty() ? "" : "; ") + found.error();
  }
  return tl::unexpected(problems);
}

// For accelerators that compute on the host, pegasusd decides how many there are.
Found probe_kind(Options const& options, std::uint32_t kind) {
  if (device::kinds[kind].has_driver) return probe_drivers(options, kind);
  std::vector<int> ordinals(static_cast<std::size_t>(options.software_accelerators));
  std::iota(ordinals.begin(), ordinals.end(), 0);
  return probe_ordinals(options, kind, ordinals);
}

} // namespace

tl::expected<std::vector<FoundAccelerator>, StartError> find_accelerators(Options const& options) {
  if (auto const chosen = device::kind_named(options.accelerator)) {
    auto found = probe_kind(options, *chosen);
    if (!found) return machine_refuses(found.error());
    return std::move(*found);
  }
  std::string missing;
  for (std::uint32_t kind = 0; kind < device::kinds.size(); ++kind) {
    auto found = probe_kind(options, kind);
    if (found && !missing.empty())
      spdlog::info("using the {} accelerator: {}", device::kinds[kind].name, missing);
    if (found) return std::move(*found);
    // The CPU in place of a GPU that is there would be noticed by its speed only.
    if (auto const node = gpu_node(); node && device::kinds[kind].has_driver)
      return machine_refuses(
          fmt::format("there is an NVIDIA GPU ({}), but it cannot be used: {}; to use the CPU instead, start "
                      "pegasusd with --accelerator software",
                      *node, found.error()));
    missing += fmt::format("{}{}", missing.empty() ? "" : "; ", found.error());
  }
  return machine_refuses(missing);
}

std::vector<std::string> worker_environment(worker::DeviceChoice const& device) {
  if (!device::kinds[device.kind].has_driver) return {};
  std::vector<std::string> result = driver_environment();
  // The guest must not use the other GPUs. An operator's choice for pegasusd stays: it may name
  // parts of a GPU.
  if (std::getenv("CUDA_VISIBLE_DEVICES") == nullptr)
    result.push_back("CUDA_VISIBLE_DEVICES=" + uuid_text(device.uuid));
  return result;
}

} // namespace pegasus::daemon
