// SPDX-License-Identifier: Apache-2.0
// Defined in rdc_link_part.cu and used in rdc_link.cu: only the device linker (or this project's)
// resolves these names.
#pragma once

extern __device__ unsigned calls_of_part;     // ordinary memory
extern __constant__ unsigned weights[4];      // constant memory
extern __device__ unsigned weigh(unsigned x); // a function that calls back into the first file

using Combine = unsigned (*)(unsigned, unsigned);
extern __device__ Combine combine; // a variable that holds a function's address
