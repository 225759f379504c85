// SPDX-License-Identifier: Apache-2.0
// The library that the driver compiles with. Only its presence counts: the driver behind compiles.
extern "C" int wrapped_compiler() { return 0; }
