// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/engine_page_accesses.h"

#include <atomic>
#include <cstdint>

namespace {

pegasus::fuzz::BeforeAccess before = nullptr;

template <class T> std::atomic_ref<T> access(T volatile* address) {
  if (before != nullptr) before(address);
  return std::atomic_ref<T>(*const_cast<T*>(address));
}

} // namespace

void pegasus::fuzz::before_each_access(BeforeAccess hook) { before = hook; }

// The names and types of sanitizer/tsan_interface_atomic.h; the last parameters are memory orders.
#define PEGASUS_ACCESSES(bits)                                                                               \
  std::uint##bits##_t __tsan_atomic##bits##_load(std::uint##bits##_t const volatile* a, int) {               \
    return access(const_cast<std::uint##bits##_t volatile*>(a)).load();                                      \
  }                                                                                                          \
  void __tsan_atomic##bits##_store(std::uint##bits##_t volatile* a, std::uint##bits##_t v, int) {            \
    access(a).store(v);                                                                                      \
  }                                                                                                          \
  std::uint##bits##_t __tsan_atomic##bits##_fetch_add(std::uint##bits##_t volatile* a,                       \
                                                      std::uint##bits##_t v, int) {                          \
    return access(a).fetch_add(v);                                                                           \
  }

extern "C" {
void __tsan_init() {}
PEGASUS_ACCESSES(32)
PEGASUS_ACCESSES(64)
}
#undef PEGASUS_ACCESSES
