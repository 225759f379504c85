# SPDX-License-Identifier: Apache-2.0
"""Takes device memory in every way but cuMemAlloc, and prints what the driver said to each."""
import ctypes

from cuda_driver import CudaError, Driver

STACK_SIZE, MALLOC_HEAP_SIZE, PENDING_LAUNCHES, PERSISTING_L2 = 0, 2, 4, 6  # CUlimit
MODULE = b"""
.version 7.0
.target sm_75
.address_size 64
.visible .global .align 4 .b8 large[%d];
.visible .entry nothing() { ret; }
"""


def status_of(name, *arguments):
    try:
        driver.check(name, *arguments)
    except CudaError as error:
        return error.status
    return 0


driver = Driver()
small, large, again = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
print("module of 16 MiB", status_of("cuModuleLoadData", ctypes.byref(small), MODULE % (16 << 20)))
print("module of 512 MiB", status_of("cuModuleLoadData", ctypes.byref(large), MODULE % (512 << 20)))
print("another of 16 MiB", status_of("cuModuleLoadData", ctypes.byref(again), MODULE % (16 << 20)))
print("unloaded", status_of("cuModuleUnload", small))
print("that of 16 MiB", status_of("cuModuleLoadData", ctypes.byref(again), MODULE % (16 << 20)))
print("heap of 256 MiB", status_of("cuCtxSetLimit", MALLOC_HEAP_SIZE, ctypes.c_size_t(256 << 20)))
print("heap of 9 MiB", status_of("cuCtxSetLimit", MALLOC_HEAP_SIZE, ctypes.c_size_t(9 << 20)))
print("stack of 1 GiB", status_of("cuCtxSetLimit", STACK_SIZE, ctypes.c_size_t(1 << 30)))
print("pending launches", status_of("cuCtxSetLimit", PENDING_LAUNCHES, ctypes.c_size_t(4096)))
print("persisting L2", status_of("cuCtxSetLimit", PERSISTING_L2, ctypes.c_size_t(1 << 20)))
