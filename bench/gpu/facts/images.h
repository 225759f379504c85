// SPDX-License-Identifier: Apache-2.0
// The two builds of kernels.cu that the program contains.
#pragma once

extern "C" char const gpu_facts_ptx[];    // text that ends with a zero byte
extern "C" char const gpu_facts_fatbin[]; // machine code for several architectures, no PTX
