// SPDX-License-Identifier: Apache-2.0
// Handles of Xen's libraries that close themselves.
#pragma once

#include <cstddef>
#include <memory>

extern "C" {
#include <libxl.h>
#include <xencall.h>
#include <xenforeignmemory.h>
#include <xentoollog.h>
}

namespace pegasus::xen {

constexpr std::size_t page_bytes = 4096;

struct CloseHandle {
  void operator()(xencall_handle* handle) const { xencall_close(handle); }
  void operator()(xenforeignmemory_handle* handle) const { xenforeignmemory_close(handle); }
  void operator()(libxl_ctx* context) const { libxl_ctx_free(context); }
  void operator()(xentoollog_logger* logger) const { xtl_logger_destroy(logger); }
};
template <class T> using Handle = std::unique_ptr<T, CloseHandle>;

} // namespace pegasus::xen
