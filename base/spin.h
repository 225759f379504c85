// SPDX-License-Identifier: Apache-2.0
// For loops that wait for another CPU.
#pragma once

namespace pegasus::base {

// Tells the CPU that this is such a loop: it saves power and leaves more of the core to
// the other hyperthread.
inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

} // namespace pegasus::base
