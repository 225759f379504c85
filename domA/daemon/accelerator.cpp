// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/accelerator.h"

#include "domA/device/software/software_device.h"
#include "domA/link/shared_memory.h"
#include "domA/worker/probe.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <spdlog/spdlog.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace pegasus::daemon {
namespace {

constexpr int probe_timeout_ms = 60'000; // the first use after a boot loads firmware

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words)
    result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

// All bytes of the answer, or fewer when the process ended or took too long.
std::size_t read_answer(int fd, worker::Probed& probed) {
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

tl::expected<worker::Probed, std::string> probe(Options const& options) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    return tl::unexpected(fmt::format("cannot ask for a GPU: {}", std::strerror(errno)));
  link::UniqueFd const answer(ends[0]);
  link::UniqueFd question(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, question.get(), STDOUT_FILENO);
  std::vector<std::string> words{options.worker_program, worker::probe_argument, options.cuda_driver,
                                 std::to_string(options.gpu)};
  worker::DeviceChoice device{};
  device.kind = worker::DeviceChoice::cuda;
  std::vector<std::string> environment = worker_environment(device);
  pid_t pid = -1;
  int const error = posix_spawn(&pid, options.worker_program.c_str(), &actions, nullptr,
                                pointers(words).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    return tl::unexpected(fmt::format("cannot start {}: {}", options.worker_program, std::strerror(error)));
  question = link::UniqueFd();
  worker::Probed probed{};
  bool const whole = read_answer(answer.get(), probed) == sizeof probed;
  kill(pid, SIGKILL); // it has said what it can
  waitpid(pid, nullptr, 0);
  if (!whole) return tl::unexpected(fmt::format("the CUDA driver {} does not come up", options.cuda_driver));
  probed.error[sizeof probed.error - 1] = '\0';
  if (probed.error[0] != '\0') return tl::unexpected(std::string(probed.error));
  return probed;
}

device::Profile profile_of(pegasus_device_profile const& wire) {
  device::Profile profile;
  profile.name = wire.name;
  std::ranges::copy(wire.uuid, profile.uuid.begin());
  profile.memory_bytes = wire.memory_bytes;
  profile.driver_version = wire.driver_version;
  std::ranges::copy(wire.attribute, profile.attribute.begin());
  return profile;
}

ChosenAccelerator software(Options const& options) {
  ChosenAccelerator chosen;
  chosen.memory_bytes = options.memory_bytes.value_or(std::uint64_t{1} << 30);
  chosen.profile = software::software_profile(chosen.memory_bytes);
  return chosen;
}

ChosenAccelerator gpu(Options const& options, worker::Probed const& probed) {
  ChosenAccelerator chosen;
  chosen.profile = profile_of(probed.device);
  chosen.memory_bytes =
      std::min(probed.device.memory_bytes, options.memory_bytes.value_or(probed.device.memory_bytes));
  chosen.device = {.kind = worker::DeviceChoice::cuda,
                   .ordinal = options.gpu,
                   .context_bytes = probed.context_bytes,
                   .slice_ns = options.slice.count(),
                   .driver = {}};
  options.cuda_driver.copy(chosen.device.driver, sizeof chosen.device.driver - 1);
  return chosen;
}

} // namespace

tl::expected<ChosenAccelerator, std::string> choose_accelerator(Options const& options) {
  if (options.accelerator == "software") return software(options);
  auto const probed = probe(options);
  if (probed) return gpu(options, *probed);
  if (options.accelerator == "cuda") return tl::unexpected(probed.error());
  spdlog::info("the software accelerator is used: {}", probed.error());
  return software(options);
}

std::vector<std::string> worker_environment(worker::DeviceChoice const& device) {
  std::vector<std::string> result;
  if (device.kind == worker::DeviceChoice::software) return result;
  for (char** variable = environ; *variable != nullptr; ++variable)
    for (std::string_view const prefix : {"CUDA_", "PEGASUS_SOCKET=", "PEGASUS_DOMAIN="})
      if (std::string_view(*variable).starts_with(prefix)) result.emplace_back(*variable);
  result.emplace_back("CUDA_CACHE_DISABLE=1"); // a cache that guests' workers write would be theirs to forge
  return result;
}

} // namespace pegasus::daemon
