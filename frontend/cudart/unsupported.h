// SPDX-License-Identifier: Apache-2.0
// The rest of the runtime API. It is exported, so programs that merely reference it load and run. Each
// function returns cudaErrorNotSupported and prints one line at its first use. The build finds these
// functions: those that the toolkit's library exports and these objects do not define
// (frontend/exports/refusals.py). Arguments are ignored, as the C calling convention allows; files that
// include this must not see the prototypes. The names are in a section of their own: a reader of the library's file finds
// which functions refuse (`pegasus doctor`).
#pragma once

#include <atomic>

#ifdef PEGASUS_CUDART_SHARED
#define PEGASUS_VISIBLE __attribute__((visibility("default")))
#else
#define PEGASUS_VISIBLE
#endif

namespace pegasus::cudart {

int answer_not_supported(char const* name, std::atomic<bool>& said);

} // namespace pegasus::cudart

#define PEGASUS_REFUSE(name)                                                                                 \
  extern "C" PEGASUS_VISIBLE int name();                                                                     \
  extern "C" int name() {                                                                                    \
    static constinit std::atomic<bool> said{false};                                                          \
    static constexpr char spelled[] __attribute__((section(".pegasus_refusals"))) = #name;                   \
    return pegasus::cudart::answer_not_supported(spelled, said);                                             \
  }
