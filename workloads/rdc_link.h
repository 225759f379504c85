// SPDX-License-Identifier: Apache-2.0
// What rdc_link.cu uses and rdc_link_part.cu defines: names that only the device linker (or our own)
// resolves.
#pragma once

extern __device__ unsigned calls_of_part;     // ordinary memory
extern __constant__ unsigned weights[4];      // constant memory
extern __device__ unsigned weigh(unsigned x); // a function that calls back into the first file

using Combine = unsigned (*)(unsigned, unsigned);
extern __device__ Combine combine; // a variable that holds a function's address
