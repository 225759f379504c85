// SPDX-License-Identifier: Apache-2.0
// Tries NVIDIA's driver library, without a GPU, in the jail and the sandbox of a worker (ci/real-driver):
//
//   real_driver WORKER DRIVER [COMPILER...]
//
// WORKER: pegasus-avcpu. DRIVER: libcuda.so.1, with its directory. COMPILER: the driver's or the toolkit's library
// (compilers.h). Each check is a process of its own, started by pegasusd's jailer, and prints a line.
#include "domA/daemon/jailer.h"
#include "domA/device/cuda/driver.h"
#include "domA/device/cuda/driver_libraries.h"
#include "domA/device/kinds.h"
#include "domA/guests/shared_memory.h"
#include "domA/worker/kinds.h"
#include "tests/support/real_driver/compilers.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <poll.h>
#include <span>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace pegasus;

constexpr std::uint32_t first_user = 1'883'701'248; // the default of --worker-users
constexpr int limit_ms = 60'000;
constexpr std::uint64_t data_bytes = std::uint64_t{32} << 30;
constexpr int no_device = 100; // CUDA_ERROR_NO_DEVICE: as far as the driver comes without a GPU

constexpr std::string_view inside = "--inside", in_jail = "in-jail", in_sandbox = "in-sandbox",
                           functions = "functions";

[[noreturn]] void end(bool passed, std::string const& line) {
  std::printf("%s: %s\n", passed ? "ok" : "FAILED", line.c_str());
  std::fflush(stdout);
  std::_Exit(passed ? 0 : 1);
}

[[noreturn]] void init(void* driver, char const* where) {
  auto const initialize = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  if (initialize == nullptr) end(false, "the library has no cuInit");
  int const result = initialize(0);
  end(result == no_device, "cuInit in the " + std::string(where) + " returned " + std::to_string(result) +
                               (result == no_device ? " (no device)" : ", not 100 (no device)"));
}

// Whether the library has what a worker calls. A release that is too old for one is told as the product tells it.
[[noreturn]] void find_functions(std::string const& library) {
  auto const driver = cuda::Driver::load(library);
  if (driver) end(false, "a driver without a GPU can be used");
  bool const complete = driver.error().ends_with("cuInit says CUDA_ERROR_NO_DEVICE");
  end(complete || driver.error().find(" release 550 ") != std::string::npos,
      complete ? "it has each function that a worker calls" : driver.error());
}

[[noreturn]] void compile(std::string const& library) {
  auto const bytes = real_driver::compile_with(library);
  std::string const name = std::filesystem::path(library).filename();
  if (!bytes) end(false, name + " in the sandbox: " + bytes.error());
  end(true, name + " in the sandbox compiled PTX to " + std::to_string(*bytes) + " bytes");
}

// What a worker does up to its sandbox, with the product's functions. `check`: one of these, or a compiler.
[[noreturn]] void be_worker(std::string const& check) {
  worker::Start start{};
  if (pread(worker::start_fd, &start, sizeof start, 0) != sizeof start) end(false, "no start block");
  worker::KindOfWorker const& kind = *worker::kind_of_worker(start.device.kind);
  worker::Files const files = kind.files(start.device);
  worker::close_inherited();
  worker::enter_jail(start.jail, files);
  worker::Sandbox sandbox = kind.sandbox(start.jail, files);
  void* const driver = dlopen(start.device.driver, RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) end(false, dlerror());
  cuda::load_driver_libraries(driver);
  if (check == in_jail) init(driver, "jail");
  if (check == functions) find_functions(start.device.driver);
  sandbox.data_bytes = data_bytes;
  worker::enter_sandbox(sandbox);
  if (check == in_sandbox) init(driver, "sandbox");
  compile(check);
}

worker::DeviceChoice choice_of(std::string const& driver, std::span<char* const> compilers) {
  worker::DeviceChoice choice{};
  choice.kind = *device::kind_named("cuda");
  driver.copy(choice.driver, sizeof choice.driver - 1);
  std::string directories;
  for (std::filesystem::path const compiler : compilers)
    if (compiler.is_absolute()) directories += compiler.parent_path().string() + ":";
  directories.copy(choice.driver_files, sizeof choice.driver_files - 1);
  return choice;
}

bool passes(daemon::Jailer const& jailer, worker::DeviceChoice const& choice, std::string const& check) {
  auto block = guests::SharedMemory::create("pegasus-start", sizeof(worker::Start));
  if (!block) return false;
  block->as<worker::Start>().jail = jailer.jail(0);
  block->as<worker::Start>().device = choice;
  auto const started =
      jailer.start({.path = std::filesystem::read_symlink("/proc/self/exe"),
                    .arguments = {"real_driver", std::string(inside), check},
                    .environment = {},
                    .descriptors = {{block->fd(), worker::start_fd},
                                    {block->fd(), worker::kick_fd}, // a number that no file may get
                                    {STDOUT_FILENO, STDOUT_FILENO},
                                    {STDERR_FILENO, STDERR_FILENO}}},
                   jailer.jail(0));
  if (!started) {
    std::printf("FAILED: %s\n", started.error().c_str());
    return false;
  }
  pollfd ended{started->pidfd.get(), POLLIN, 0};
  bool const in_time = poll(&ended, 1, limit_ms) == 1;
  kill(started->pid, SIGKILL);
  int status = 0;
  waitpid(started->pid, &status, 0);
  if (WIFEXITED(status)) return WEXITSTATUS(status) == 0;
  std::printf("FAILED: %s: %s\n", check.c_str(),
              in_time ? strsignal(WTERMSIG(status)) : "no answer within a minute");
  return false;
}

} // namespace

int main(int argc, char** argv) {
  if (argc == 3 && argv[1] == inside) be_worker(argv[2]);
  if (argc < 3) {
    std::fprintf(stderr, "usage: real_driver WORKER DRIVER [COMPILER...]\n");
    return 2;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::span const compilers(argv + 3, argv + argc);
  worker::DeviceChoice const choice = choice_of(argv[2], compilers);
  daemon::Jailer const jailer(argv[1], first_user, choice);
  if (!jailer.missing().empty()) std::printf("note: %s\n", jailer.missing().c_str());
  bool passed = passes(jailer, choice, std::string(in_jail));
  passed = passes(jailer, choice, std::string(in_sandbox)) && passed;
  passed = passes(jailer, choice, std::string(functions)) && passed;
  for (char const* const compiler : compilers)
    passed = passes(jailer, choice, compiler) && passed;
  return passed ? 0 : 1;
}
