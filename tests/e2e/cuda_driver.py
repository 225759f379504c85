# SPDX-License-Identifier: Apache-2.0
"""The part of the CUDA driver API that the client scripts use, by ctypes, as Python programs such as tinygrad do."""
import ctypes
import sys

POINTER_SIZE = ctypes.sizeof(ctypes.c_void_p)
LAUNCH_BUFFER_POINTER, LAUNCH_BUFFER_SIZE, LAUNCH_END = 1, 2, 0  # CU_LAUNCH_PARAM_*
OUT_OF_MEMORY = 2

PTX = b"""
.version 7.0
.target sm_75
.address_size 64
.visible .entry saxpy(.param .u64 x, .param .u64 y, .param .f32 a, .param .u32 n)
{
  .reg .pred %p;
  .reg .b32 %r<6>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.param.f32 %f1, [a];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p, %r5, %r1;
  @%p bra DONE;
  mul.wide.u32 %rd3, %r5, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.f32 %f2, [%rd4];
  ld.global.f32 %f3, [%rd5];
  fma.rn.f32 %f3, %f1, %f2, %f3;
  st.global.f32 [%rd5], %f3;
DONE:
  ret;
}
"""


class CudaError(Exception):
    def __init__(self, call, status):
        super().__init__(f"{call}: CUDA error {status}")
        self.status = status


class Driver:
    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        self.check("cuInit", 0)
        device = ctypes.c_int()
        self.check("cuDeviceGet", ctypes.byref(device), 0)
        self.device = device
        self.create_context()

    def create_context(self):
        self.context = ctypes.c_void_p()
        self.check("cuCtxCreate_v2", ctypes.byref(self.context), 0, self.device)

    def destroy_context(self):
        """The last one of a process: the device is reset."""
        self.check("cuCtxDestroy_v2", self.context)

    def check(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status != 0:
            raise CudaError(name, status)

    def capability(self):
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.check("cuDeviceComputeCapability", ctypes.byref(major), ctypes.byref(minor), self.device)
        return major.value, minor.value

    def allocate(self, size):
        address = ctypes.c_uint64()
        self.check("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        return address

    def free(self, address):
        self.check("cuMemFree_v2", address)

    def allocate_host(self, size):
        pointer = ctypes.c_void_p()
        self.check("cuMemHostAlloc", ctypes.byref(pointer), ctypes.c_size_t(size), 0)
        return pointer

    def free_host(self, pointer):
        self.check("cuMemFreeHost", pointer)

    def copy_in(self, address, pointer, size):
        self.check("cuMemcpyHtoDAsync_v2", address, pointer, ctypes.c_size_t(size), None)

    def copy_out(self, pointer, address, size):
        self.check("cuMemcpyDtoH_v2", pointer, address, ctypes.c_size_t(size))

    def function(self, ptx, name):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.check("cuModuleLoadData", ctypes.byref(module), ptx)
        self.check("cuModuleGetFunction", ctypes.byref(function), module, name)
        return module, function

    def launch(self, function, grid, block, arguments):
        """`arguments` is a ctypes Structure laid out as the kernel's parameters, passed by `extra`."""
        size = ctypes.c_size_t(ctypes.sizeof(arguments))
        extra = (ctypes.c_void_p * 5)(LAUNCH_BUFFER_POINTER, ctypes.cast(ctypes.byref(arguments), ctypes.c_void_p),
                                      LAUNCH_BUFFER_SIZE, ctypes.cast(ctypes.byref(size), ctypes.c_void_p),
                                      LAUNCH_END)
        self.check("cuLaunchKernel", function, *grid, *block, 0, None, None, extra)

    def synchronize(self):
        self.check("cuCtxSynchronize")


class SaxpyArguments(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint64), ("y", ctypes.c_uint64), ("a", ctypes.c_float), ("n", ctypes.c_uint32)]


class Saxpy:
    """y = a * x + y over `count` floats, checked against what Python computes; numbers that float holds exactly."""

    def __init__(self, driver, count):
        self.driver, self.count, self.size = driver, count, 4 * count
        self.module, self.kernel = driver.function(PTX, b"saxpy")
        self.x, self.y = driver.allocate(self.size), driver.allocate(self.size)
        self.host = driver.allocate_host(self.size)
        self.values = ctypes.cast(self.host, ctypes.POINTER(ctypes.c_float * count)).contents

    def fill(self):
        for i in range(self.count):
            self.values[i] = i % 1000
        for target in (self.x, self.y):
            self.driver.copy_in(target, self.host, self.size)
        self.driver.synchronize()  # the pinned buffer is used again: the copies must be done

    def launch(self, factor):
        blocks = (self.count + 127) // 128
        self.driver.launch(self.kernel, (blocks, 1, 1), (128, 1, 1),
                           SaxpyArguments(self.x.value, self.y.value, factor, self.count))

    def verify(self, sum_of_factors):
        self.driver.synchronize()
        ctypes.memset(self.host, 0xff, self.size)
        self.driver.copy_out(self.host, self.y, self.size)
        for i, value in enumerate(self.values):
            expected = i % 1000 * (1 + sum_of_factors)
            if value != expected:
                sys.exit(f"FAIL: y[{i}] is {value}, expected {expected}")

    def close(self):
        for address in (self.x, self.y):
            self.driver.free(address)
        self.driver.free_host(self.host)
        self.driver.check("cuModuleUnload", self.module)
