// SPDX-License-Identifier: Apache-2.0
// Which lie comes next; contexts, streams, events.
#include "tests/fuzz/lying_driver.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>

namespace pegasus::fuzz {
namespace {

constexpr CUresult results[] = {
#define PEGASUS_ERROR(number, name, text) name,
#include "frontend/cuda/errors.inc"
#undef PEGASUS_ERROR
};

// After these every call of a context fails (cuda.h, CUresult).
constexpr CUresult sticky_errors[] = {CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_LAUNCH_FAILED,
                                      CUDA_ERROR_ECC_UNCORRECTABLE, CUDA_ERROR_CONTEXT_IS_DESTROYED};

constexpr float odd_times[] = {std::numeric_limits<float>::quiet_NaN(),
                               std::numeric_limits<float>::infinity(),
                               -std::numeric_limits<float>::infinity(),
                               std::numeric_limits<float>::max(),
                               -1e30f,
                               1e9f,
                               -5,
                               0};

LyingDriver* current = nullptr;

} // namespace

LyingDriver& lying() { return *current; }
bool lying_driver_exists() { return current != nullptr; }

CUresult any_error(std::uint8_t choice) { return results[1 + choice % (std::size(results) - 1)]; }

bool is_known_result(int result) {
  return std::ranges::any_of(results, [&](CUresult known) { return known == result; });
}

LyingDriver::LyingDriver(Input lies) : lies_(lies) {
  require(current == nullptr);
  current = this;
  add_objects(table_);
  add_work(table_);
  add_memory(table_);
  add_mappings(table_);
  add_modules(table_);
}

LyingDriver::~LyingDriver() {
  forget_all();
  current = nullptr;
}

void LyingDriver::forget_all() {
  for (auto const& [memory, word] : words)
    delete word;
  words.clear();
}

CUresult LyingDriver::says() {
  odd = false;
  now_ += device::Nanos(1000);
  if (sticky_ != CUDA_SUCCESS) return sticky_;
  if (honest_ > 0) {
    --honest_;
    return CUDA_SUCCESS;
  }
  auto const choice = lies_.take<std::uint8_t>();
  if (choice < 96) {
    honest_ = choice % 48;
    return CUDA_SUCCESS;
  }
  if (choice < 104) {
    stalled_ = 8 * lies_.take<std::uint8_t>();
    return CUDA_SUCCESS;
  }
  odd = choice < 176 || choice % 2 == 1;
  if (choice < 176) return CUDA_SUCCESS;
  if (choice < 192) return CUDA_ERROR_NOT_READY;
  if (choice < 250) return any_error(lies_.take<std::uint8_t>());
  return sticky_ = sticky_errors[choice % std::size(sticky_errors)];
}

CUresult LyingDriver::says_in_context() {
  require(have_context);
  return says();
}

std::uint64_t LyingDriver::number() {
  constexpr std::uint64_t numbers[] = {
      0,           1,           3,           255,        4096,       1 << 20,      0x7fff'ffff,
      0x8000'0000, 0xffff'fff0, 0xffff'ffff, 1ull << 40, 1ull << 63, ~0ull - 4095, ~0ull};
  return numbers[lies_.take<std::uint8_t>() % std::size(numbers)];
}

bool LyingDriver::is_stalled() {
  if (stalled_ == 0) return false;
  --stalled_;
  return true;
}

bool LyingDriver::is_stream(CUstream stream) const {
  return stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD || streams.known(stream);
}

void LyingDriver::check_holds() const {
  for (auto const& [word, awaited] : holds)
    require(*word >= awaited);
}

// Everything that was made in a context is destroyed before it, but its memory and the stream of the scrubber.
void LyingDriver::add_objects(cuda::Driver& table) {
  table.cuInit = [](unsigned) { return current->says(); };
  table.cuGetErrorName = [](CUresult, char const** name) {
    CUresult const result = current->says();
    *name = current->odd ? nullptr : "an error";
    return result;
  };
  table.cuCtxCreate = [](CUcontext* made, unsigned, CUdevice) {
    CUresult const result = current->contexts.make(*current, *made);
    if (result == CUDA_SUCCESS) {
      require(!current->have_context);
      current->have_context = true;
    }
    return result;
  };
  table.cuCtxSetCurrent = [](CUcontext context) {
    (void)current->contexts.known(context);
    return current->says();
  };
  table.cuCtxDestroy = [](CUcontext context) {
    LyingDriver& driver = *current;
    require(driver.have_context && driver.events.empty() && driver.modules.empty() && driver.links.empty() &&
            driver.words.empty() && driver.pinned.empty() && driver.streams.size() <= 1);
    driver.have_context = false;
    driver.streams.clear();
    driver.given.clear();
    driver.limits.clear();
    driver.limit_set = false;
    return driver.contexts.destroy(driver, context);
  };
  table.cuCtxSynchronize = [] {
    CUresult const result = current->says_in_context();
    if (result == CUDA_SUCCESS) current->done = current->fills;
    return result;
  };
  table.cuStreamCreateWithPriority = [](CUstream* made, unsigned, int) {
    require(current->have_context);
    CUresult const result = current->streams.make(*current, *made);
    if (result == CUDA_SUCCESS) current->scrubs[*made] = 0;
    return result;
  };
  table.cuStreamDestroy = [](CUstream stream) { return current->streams.destroy(*current, stream); };
  table.cuEventCreate = [](CUevent* made, unsigned) {
    require(current->have_context);
    return current->events.make(*current, *made);
  };
  table.cuEventDestroy = [](CUevent event) {
    current->covers.erase(event);
    return current->events.destroy(*current, event);
  };
}

void LyingDriver::add_work(cuda::Driver& table) {
  table.cuStreamQuery = [](CUstream stream) {
    if (!current->is_stream(stream)) return CUDA_ERROR_INVALID_HANDLE;
    CUresult const result = current->says_in_context();
    if (result == CUDA_SUCCESS && current->is_stalled()) return CUDA_ERROR_NOT_READY;
    if (result == CUDA_SUCCESS) current->stream_done(stream);
    return result;
  };
  table.cuStreamSynchronize = [](CUstream stream) {
    if (!current->is_stream(stream)) return CUDA_ERROR_INVALID_HANDLE;
    CUresult const result = current->says_in_context();
    if (result == CUDA_SUCCESS) current->stream_done(stream);
    return result;
  };
  table.cuStreamWaitEvent = [](CUstream stream, CUevent event, unsigned) {
    if (!current->is_stream(stream) || !current->events.known(event)) return CUDA_ERROR_INVALID_HANDLE;
    CUresult const result = current->says_in_context();
    if (result == CUDA_SUCCESS)
      current->scrubs[stream] = std::max(current->scrubs[stream], current->covers[event]);
    return result;
  };
  table.cuEventRecord = [](CUevent event, CUstream stream) {
    if (!current->is_stream(stream) || !current->events.known(event)) return CUDA_ERROR_INVALID_HANDLE;
    CUresult const result = current->says_in_context();
    if (result == CUDA_SUCCESS) current->covers[event] = current->scrubs[stream];
    return result;
  };
  table.cuEventQuery = [](CUevent event) {
    if (!current->events.known(event)) return CUDA_ERROR_INVALID_HANDLE;
    CUresult const result = current->says_in_context();
    if (result == CUDA_SUCCESS && current->is_stalled()) return CUDA_ERROR_NOT_READY;
    if (result == CUDA_SUCCESS) current->event_done(event);
    return result;
  };
  table.cuEventSynchronize = [](CUevent event) {
    if (!current->events.known(event)) return CUDA_ERROR_INVALID_HANDLE;
    CUresult const result = current->says_in_context();
    if (result == CUDA_SUCCESS) current->event_done(event);
    return result;
  };
  table.cuEventElapsedTime = [](float* milliseconds, CUevent from, CUevent to) {
    if (!current->events.known(from) || !current->events.known(to)) return CUDA_ERROR_INVALID_HANDLE;
    CUresult const result = current->says_in_context();
    *milliseconds = current->odd ? odd_times[current->number() % std::size(odd_times)] : 0.02f;
    return result;
  };
  table.cuStreamWaitValue32 = [](CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned) {
    if (!current->is_stream(stream)) return CUDA_ERROR_INVALID_HANDLE;
    CUresult const result = current->says_in_context();
    auto const word = current->words.find(reinterpret_cast<void*>(address));
    if (result == CUDA_SUCCESS && word != current->words.end())
      current->holds.push_back({word->second, value});
    return result;
  };
}

} // namespace pegasus::fuzz
