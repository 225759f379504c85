// SPDX-License-Identifier: Apache-2.0
// Names the system calls that the sandbox refuses, so that a machine without strace can be diagnosed.
//
// Only for Confinement::trace: the signal that this takes ends a process whose thread blocks it, as drivers'
// threads do.
#pragma once

namespace pegasus::worker {

// From now on a call that the filter answers with SIGSYS fails with EPERM, and is named on standard error the
// first time. Call before the filter is loaded.
void name_refused_calls();

} // namespace pegasus::worker
