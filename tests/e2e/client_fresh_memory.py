# SPDX-License-Identifier: Apache-2.0
"""Counts a word in fresh device memory: client_fresh_memory.py WORD [LIBRARY]. With a library of its own it asks that
one, in the driver's place."""
import ctypes
import sys

SIZE = 4 << 20


def fresh_memory(library):
    def check(name, *arguments):
        status = getattr(library, name)(*arguments)
        if status != 0:
            sys.exit(f"{name}: CUDA error {status}")
    check("cuInit", 0)
    device, context, address = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
    check("cuDeviceGet", ctypes.byref(device), 0)
    check("cuCtxCreate_v2", ctypes.byref(context), 0, device)
    check("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(SIZE))
    host = (ctypes.c_uint32 * (SIZE // 4))()
    check("cuMemcpyDtoHAsync_v2", host, address, ctypes.c_size_t(SIZE), None)
    check("cuStreamSynchronize", None)
    return host


words = fresh_memory(ctypes.CDLL(sys.argv[2] if len(sys.argv) > 2 else "libcuda.so.1"))
print(f"found {sum(word == int(sys.argv[1], 0) for word in words)} of {len(words)}")
print("PASS")
