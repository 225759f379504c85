# SPDX-License-Identifier: Apache-2.0
"""A Python program that compiles a kernel with NVRTC, as numba and CuPy do: NVRTC contains NVIDIA's static runtime.
Usage: client_compiles.py LIBNVRTC"""
import ctypes
import sys

from cuda_driver import Driver

driver = Driver()
compiler = ctypes.CDLL(sys.argv[1])
program = ctypes.c_void_p()
source = b'extern "C" __global__ void k(int *out) { *out = 1; }'
assert compiler.nvrtcCreateProgram(ctypes.byref(program), source, b"k.cu", 0, None, None) == 0
assert compiler.nvrtcCompileProgram(program, 1, (ctypes.c_char_p * 1)(b"--gpu-architecture=compute_75")) == 0
print("PASS")
