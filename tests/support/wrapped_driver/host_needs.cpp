// SPDX-License-Identifier: Apache-2.0
#include "tests/support/wrapped_driver/host_needs.h"

#include "tests/support/wrapped_driver/wrapped.h"

#include <condition_variable>
#include <dlfcn.h>
#include <fcntl.h>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace pegasus::wrapped {
namespace {

constexpr off_t memory_file_bytes = off_t{1} << 20;

// As NVIDIA's driver does it since release 550: prctl(2) would need no file.
bool named() {
  std::string const path = "/proc/self/task/" + std::to_string(gettid()) + "/comm";
  int const file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file < 0) return false;
  constexpr char name[] = "cuda-EvtHandlr";
  bool const written = write(file, name, sizeof name - 1) > 0;
  close(file);
  return written;
}

// A thread that names itself and sleeps until it is to stop. Empty if it could not name itself.
std::optional<std::jthread> start_thread() {
  std::promise<bool> promise;
  std::future<bool> has_name = promise.get_future();
  std::jthread thread(
      [](std::stop_token const& stop, std::promise<bool> answer) {
        answer.set_value(named());
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any stopped;
        stopped.wait(lock, stop, [] { return false; });
      },
      std::move(promise));
  if (!has_name.get()) return {};
  return thread;
}

bool has_files() {
  int const node = open(settings().node.c_str(), O_RDWR | O_CLOEXEC);
  int const memory = memfd_create("wrapped", MFD_CLOEXEC);
  bool const has = node >= 0 && memory >= 0 && ftruncate(memory, memory_file_bytes) == 0;
  if (node >= 0) close(node);
  if (memory >= 0) close(memory);
  return has;
}

std::map<CUcontext, std::jthread>& context_threads() {
  static std::map<CUcontext, std::jthread> threads;
  return threads;
}

} // namespace

CUresult start_event_thread() {
  static auto const thread = start_thread();
  return thread ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
}

CUresult start_context(CUcontext context) {
  auto thread = start_thread();
  if (!thread || !has_files()) return CUDA_ERROR_OPERATING_SYSTEM;
  context_threads().insert_or_assign(context, std::move(*thread));
  return CUDA_SUCCESS;
}

void end_context(CUcontext context) { context_threads().erase(context); }

CUresult find_compiler() {
  static void* const loaded = dlopen(settings().compiler.c_str(), RTLD_NOW | RTLD_LOCAL);
  return loaded != nullptr ? CUDA_SUCCESS : CUDA_ERROR_JIT_COMPILER_NOT_FOUND;
}

} // namespace pegasus::wrapped
