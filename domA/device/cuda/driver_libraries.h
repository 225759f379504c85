// SPDX-License-Identifier: Apache-2.0
// The libraries that NVIDIA's driver loads when it first compiles. It names them without a directory, and the
// loader may not look where the driver lies.
#pragma once

namespace pegasus::cuda {

// Loads those that lie beside the driver; from then on the driver finds them by name. Does nothing for one that
// is not there. `driver`: dlopen's handle.
void load_driver_libraries(void* driver);

} // namespace pegasus::cuda
