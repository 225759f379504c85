// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu/facts/images.h"

// The build defines both paths.
asm(".section .rodata\n"
    ".balign 16\n"
    ".global gpu_facts_ptx\n"
    "gpu_facts_ptx: .incbin \"" GPU_FACTS_PTX "\"\n"
    ".byte 0\n"
    ".balign 16\n"
    ".global gpu_facts_fatbin\n"
    "gpu_facts_fatbin: .incbin \"" GPU_FACTS_FATBIN "\"\n"
    ".previous\n");
