// SPDX-License-Identifier: Apache-2.0
// The rest of the runtime API: exported, so that programs which merely mention it load and run, and answering
// cudaErrorNotSupported with one line for each function used. Which those are is found when the library is
// built: what the toolkit's library exports and our objects do not define (frontend/exports/refusals.py).
// Arguments are ignored, as the C calling convention allows; what includes this must not see the prototypes.
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
    return pegasus::cudart::answer_not_supported(#name, said);                                               \
  }
