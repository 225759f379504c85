# SPDX-License-Identifier: Apache-2.0
"""A Python program that opens NVRTC by its path, as packages do, compiles for a real architecture and executes the result.
Usage: client_machine_code.py LIBNVRTC"""
import ctypes
import os
import sys

from client_executes import execute
from cuda_driver import Driver

driver = Driver()
nvrtc = ctypes.CDLL(sys.argv[1])
again = ctypes.CDLL(os.path.basename(sys.argv[1]), mode=os.RTLD_NOLOAD)
assert nvrtc._handle == again._handle == ctypes.CDLL(sys.argv[1])._handle
program, size = ctypes.c_void_p(), ctypes.c_size_t()
source = b'extern "C" __global__ void k(int *out) { *out = 41; }'
assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"k.cu", 0, None, None) == 0
assert nvrtc.nvrtcCompileProgram(program, 1, (ctypes.c_char_p * 1)(b"-arch=sm_75")) == 0
assert nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size)) == 0
code = ctypes.create_string_buffer(size.value)
assert nvrtc.nvrtcGetCUBIN(program, code) == 0

execute(driver, code)
