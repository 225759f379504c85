/* SPDX-License-Identifier: GPL-2.0-only */
// What all of Xen's code may use: types, assertions, atomic writes and barriers.
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef int64_t s_time_t;
typedef uint16_t domid_t;
typedef unsigned long xen_pfn_t;

#ifdef __cplusplus
extern "C" {
#endif
__attribute__((noreturn)) void harness_assert_failed(char const* what); // throws, also through C frames
void harness_wmb(void);
#ifdef __cplusplus
}
#endif

#define ASSERT(condition)                                                                                    \
  do {                                                                                                       \
    if (!(condition)) harness_assert_failed(#condition);                                                     \
  } while (0)
#define BUILD_BUG_ON(condition) _Static_assert(!(condition), "BUILD_BUG_ON(" #condition ")")
#define likely(condition) (condition)
#define DIV_ROUND_UP(n, d) (((n) + (d)-1) / (d))
#define MASK_INSR(value, mask) (((value) * ((mask) & -(mask))) & (mask))
#define read_atomic(place) __atomic_load_n(place, __ATOMIC_RELAXED)
#define write_atomic(place, value) __atomic_store_n(place, value, __ATOMIC_RELAXED)
#define smp_wmb() harness_wmb()
