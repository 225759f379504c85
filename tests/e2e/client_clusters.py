# SPDX-License-Identifier: Apache-2.0
"""Launches in thread block clusters, by the driver's and the runtime's functions, and tensor maps: prints what each
call answers."""
import ctypes

from cuda_driver import PTX, Driver, Saxpy, SaxpyArguments

CLUSTER_DIMENSION, PROGRAMMATIC, PRIORITY = 4, 6, 8


class Value(ctypes.Union):
    _fields_ = [("cluster", ctypes.c_uint * 3), ("number", ctypes.c_int), ("pad", ctypes.c_char * 64)]


class Attribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_int), ("value", Value)]


class DriverConfig(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared", ctypes.c_uint),
                ("stream", ctypes.c_void_p), ("attributes", ctypes.POINTER(Attribute)), ("count", ctypes.c_uint)]


class RuntimeConfig(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared", ctypes.c_size_t),
                ("stream", ctypes.c_void_p), ("attributes", ctypes.POINTER(Attribute)), ("count", ctypes.c_uint)]


def cluster(x):
    return Attribute(CLUSTER_DIMENSION, 0, Value(cluster=(x, 1, 1)))


def config(kind, *attributes):
    return kind((8, 1, 1), (128, 1, 1), 0, None, (Attribute * len(attributes))(*attributes), len(attributes))


def aligned(size, alignment=128):
    memory = ctypes.create_string_buffer(size + alignment)
    memory.start = (ctypes.addressof(memory) + alignment - 1) & -alignment
    return memory


driver = Driver()
saxpy = Saxpy(driver, 1024)
saxpy.fill()
arguments = SaxpyArguments(saxpy.x.value, saxpy.y.value, 2.0, saxpy.count)
pointers = (ctypes.c_void_p * 4)(*(ctypes.addressof(arguments) + getattr(SaxpyArguments, name).offset
                                   for name, _ in SaxpyArguments._fields_))
priority = Attribute(PRIORITY, 0, Value(number=-3))
programmatic = Attribute(PROGRAMMATIC, 0, Value(number=1))


def launch(*attributes):
    return driver.library.cuLaunchKernelEx(ctypes.byref(config(DriverConfig, *attributes)), saxpy.kernel, pointers, None)


print("driver's launch:", launch(cluster(2), priority, programmatic))
runtime = ctypes.CDLL("libcudart.so.13")
library, kernel = ctypes.c_void_p(), ctypes.c_void_p()
assert runtime.cudaLibraryLoadData(ctypes.byref(library), PTX, None, None, 0, None, None, 0) == 0
assert runtime.cudaLibraryGetKernel(ctypes.byref(kernel), library, b"saxpy") == 0
print("runtime's launch:", runtime.cudaLaunchKernelExC(ctypes.byref(config(RuntimeConfig, cluster(4))), kernel, pointers))
driver.synchronize()
driver.copy_out(saxpy.host, saxpy.y, saxpy.size)
factor = saxpy.values[1] - 1  # y[1] was 1
print("result:", {0: "untouched", 4: "right"}.get(factor, f"{factor} times x was added"))
print("odd cluster:", launch(cluster(3)))  # eight blocks are not a number of whole clusters
for name, function in (("active clusters", "cuOccupancyMaxActiveClusters"),
                       ("largest cluster", "cuOccupancyMaxPotentialClusterSize")):
    count = ctypes.c_int()
    status = getattr(driver.library, function)(ctypes.byref(count), saxpy.kernel,
                                               ctypes.byref(config(DriverConfig, cluster(2))))
    print(f"{name}:", status, count.value)

descriptor = aligned(128)
words = (ctypes.c_uint64 * 16).from_address(descriptor.start)
numbers = (ctypes.c_uint64 * 5)(16, 16, 16, 16, 16)
small = (ctypes.c_uint32 * 5)(1, 1, 1, 1, 1)


def encode(rank):
    return driver.library.cuTensorMapEncodeTiled(ctypes.c_void_p(descriptor.start), 0, rank,
                                                 ctypes.c_void_p(0x700000001000), numbers, numbers, small, small, 0, 0, 0, 0)


print("tensor map:", encode(5), hex(words[0]), words[15])
status = driver.library.cuTensorMapReplaceAddress(ctypes.c_void_p(descriptor.start), ctypes.c_void_p(0x700000002000))
print("other address:", status, hex(words[0]), words[15])
print("rank 6:", encode(6))
