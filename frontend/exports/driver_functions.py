#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the names of all functions that NVIDIA's libcuda.so.1 exports, one a line, from the toolkit's headers.

usage: driver_functions.py OUTPUT COMPILER HEADER

HEADER is cudaProfiler.h, which includes cuda.h. With __CUDA_API_VERSION_INTERNAL they declare every variant of a function
under its own name, older ones and those for the per-thread default stream too. Not every toolkit has the stub of the
library (NVIDIA's Python packages do not); where there is one, cuda_exports_test compares.
"""
import re
import sys

import symbols


def main(output, compiler, header):
    text = symbols.declarations(compiler, header)
    symbols.write(output, sorted(set(re.findall(r"\b(cu[A-Z]\w*)\s*\(", text))))


main(*sys.argv[1:])
