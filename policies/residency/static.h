// SPDX-License-Identifier: Apache-2.0
// static: no sharing, as memory limits that are reservations (domA/device/memory does this today).
//
// A domain keeps all that it holds. One that does not fit into what is free is refused until another leaves. Nothing is
// ever copied.
#pragma once

#include "policies/residency/problem.h"

namespace pegasus::residency {

[[nodiscard]] Answer place_static(Problem const& problem, Tunables const& tunables);

} // namespace pegasus::residency
