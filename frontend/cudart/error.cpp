// SPDX-License-Identifier: Apache-2.0
#include "frontend/cudart/error.h"

#include "frontend/cudart/context.h"
#include "frontend/cudart/thread_state.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <unistd.h>

namespace pegasus::cudart {
namespace {

struct ErrorText {
  int code;
  char const* name;
  char const* text;
};

constexpr ErrorText error_table[] = {
#define ERROR(code, name, text) {code, #name, text},
#include "frontend/cudart/error_table.inc"
#undef ERROR
};

// The table is sorted by code.
ErrorText const* find(int code) {
  auto const* const end = error_table + sizeof error_table / sizeof error_table[0];
  auto const* const at = std::lower_bound(
      error_table, end, code, [](ErrorText const& entry, int wanted) { return entry.code < wanted; });
  return at != end && at->code == code ? at : nullptr;
}

} // namespace

cudaError_t from_driver(CUresult result) {
  int const code = static_cast<int>(result);
  return find(code) != nullptr ? static_cast<cudaError_t>(code) : cudaErrorUnknown;
}

char const* error_name(int error) {
  ErrorText const* const entry = find(error);
  return entry == nullptr ? nullptr : entry->name;
}

char const* error_text(int error) {
  ErrorText const* const entry = find(error);
  return entry == nullptr ? nullptr : entry->text;
}

bool is_sticky(cudaError_t error) {
  switch (static_cast<int>(error)) {
  case cudaErrorECCUncorrectable:
  case cudaErrorNvlinkUncorrectable:
  case cudaErrorContained:
  case cudaErrorIllegalAddress:
  case cudaErrorLaunchTimeout:
  case cudaErrorAssert:
  case cudaErrorHardwareStackError:
  case cudaErrorIllegalInstruction:
  case cudaErrorMisalignedAddress:
  case cudaErrorInvalidAddressSpace:
  case cudaErrorInvalidPc:
  case cudaErrorLaunchFailure:
  case cudaErrorTensorMemoryLeak:
  case cudaErrorExternalDevice:
    return true;
  default:
    return false;
  }
}

// One that corrupted the context hides those of later calls, and ends with the context.
void record_error(cudaError_t error) {
  if (is_sticky(last_error())) return;
  thread_state.last_error = error;
  thread_state.error_generation = reset_generation();
}

cudaError_t last_error() {
  if (is_sticky(thread_state.last_error) && thread_state.error_generation != reset_generation())
    forget_errors();
  return thread_state.last_error;
}

void forget_errors() { thread_state.last_error = cudaSuccess; }

void say(char const* format, ...) {
  char line[512];
  int const prefix = std::snprintf(line, sizeof line, "pegasus: ");
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line + prefix, sizeof line - static_cast<std::size_t>(prefix), format, arguments);
  va_end(arguments);
  dprintf(STDERR_FILENO, "%s\n", line);
}

} // namespace pegasus::cudart

using namespace pegasus::cudart;

PEGASUS_API cudaError_t cudaGetLastError() {
  cudaError_t const error = last_error();
  if (!is_sticky(error)) forget_errors();
  return error;
}

PEGASUS_API cudaError_t cudaPeekAtLastError() { return last_error(); }

PEGASUS_API char const* cudaGetErrorName(cudaError_t error) {
  char const* const name = error_name(static_cast<int>(error));
  return name == nullptr ? "unrecognized error code" : name;
}

PEGASUS_API char const* cudaGetErrorString(cudaError_t error) {
  char const* const text = error_text(static_cast<int>(error));
  return text == nullptr ? "unrecognized error code" : text;
}
