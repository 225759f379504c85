# SPDX-License-Identifier: Apache-2.0
"""LIBRARY FATBIN: uses libcudart.so.12 or libcudart.so.11.0 as programs of these releases do: with their structs and
parameters, where CUDA 13 has others; and runs a kernel of earlier_release.cu."""
import ctypes
import sys
from ctypes import byref, c_int, c_size_t, c_ulonglong, c_void_p

NAME = sys.argv[1]
RELEASE = 12 if NAME.endswith(".12") else 11
VERSION = {12: 12090, 11: 11080}[RELEASE]
PROPERTIES = {"cudaGetDeviceProperties": 728}  # and their bytes
if RELEASE == 12:
    PROPERTIES["cudaGetDeviceProperties_v2"] = 1032
# Where fields of cudaDeviceProp are, and the attributes with the same values.
FIELDS = {308: 10, 348: 13, 360: 75, 364: 76, 384: 15, 388: 16, 396: 18, 408: 21, 608: 36, 612: 37, 616: 38, 624: 39, 640: 81, 696: 97}
POINTER_ATTRIBUTES = 24  # bytes

runtime = ctypes.CDLL(NAME)


def check(what, expected=0):
    if what != expected:
        raise AssertionError(f"{what!r} instead of {expected!r}")


class Guarded:
    """A struct, and bytes behind it that must stay as they are."""

    def __init__(self, size):
        self.size = size
        self.memory = ctypes.create_string_buffer(b"\xaa" * (size + 512), size + 512)

    def check(self):
        check(self.memory.raw[self.size:], b"\xaa" * 512)
        assert self.memory.raw[:self.size] != b"\xaa" * self.size

    def number(self, at):
        return int.from_bytes(self.memory.raw[at:at + 4], "little", signed=True)


def attribute(which):
    value = c_int()
    check(runtime.cudaDeviceGetAttribute(byref(value), which, 0))
    return value.value


version = c_int()
check(runtime.cudaRuntimeGetVersion(byref(version)))
check(version.value, VERSION)

for function, size in PROPERTIES.items():
    properties = Guarded(size)
    check(getattr(runtime, function)(properties.memory, 0))
    properties.check()
    check({at: properties.number(at) for at in FIELDS}, {at: attribute(which) for at, which in FIELDS.items()})
    check(getattr(runtime, function)(None, 0), 1)
wanted = Guarded(PROPERTIES[max(PROPERTIES)])
chosen = c_int(-1)
check(runtime.cudaChooseDevice(byref(chosen), properties.memory))
check(chosen.value, 0)

memory = c_void_p()
check(runtime.cudaMalloc(byref(memory), c_size_t(1 << 20)))
pointer = Guarded(POINTER_ATTRIBUTES)
check(runtime.cudaPointerGetAttributes(pointer.memory, memory))
pointer.check()
check((pointer.number(0), pointer.number(4)), (2, 0))  # of device 0
check(runtime.cudaFree(memory))

if attribute(83):  # managed memory
    check(runtime.cudaMallocManaged(byref(memory), c_size_t(1 << 20), 1))
    for device in (0, -1):
        check(runtime.cudaMemAdvise(memory, c_size_t(1 << 20), 3, device))  # preferred location
        check(runtime.cudaMemPrefetchAsync(memory, c_size_t(1 << 20), device, None))
        check(runtime.cudaMemPrefetchAsync_ptsz(memory, c_size_t(1 << 20), device, None))
    check(runtime.cudaMemPrefetchAsync(memory, c_size_t(1 << 20), 99, None), 101)  # no such device
    check(runtime.cudaThreadSynchronize())
    check(runtime.cudaFree(memory))

graph, first, second, executable, stream, other = (c_void_p() for _ in range(6))
check(runtime.cudaGraphCreate(byref(graph), 0))
check(runtime.cudaGraphAddEmptyNode(byref(first), graph, None, c_size_t(0)))
check(runtime.cudaGraphAddEmptyNode(byref(second), graph, None, c_size_t(0)))
check(runtime.cudaGraphAddDependencies(graph, byref(first), byref(second), c_size_t(1)))
sources, targets, count = (c_void_p * 4)(), (c_void_p * 4)(), c_size_t(4)
check(runtime.cudaGraphGetEdges(graph, sources, targets, byref(count)))
check((count.value, sources[0], targets[0]), (1, first.value, second.value))
for function, node, found in (("cudaGraphNodeGetDependencies", second, first), ("cudaGraphNodeGetDependentNodes", first, second)):
    count = c_size_t(4)
    check(getattr(runtime, function)(node, sources, byref(count)))
    check((count.value, sources[0]), (1, found.value))
check(runtime.cudaGraphRemoveDependencies(graph, byref(first), byref(second), c_size_t(1)))
count = c_size_t(4)
check(runtime.cudaGraphGetEdges(graph, sources, targets, byref(count)))
check(count.value, 0)
if RELEASE == 12:
    check(runtime.cudaGraphInstantiate(byref(executable), graph, c_ulonglong(0)))
else:
    log = ctypes.create_string_buffer(b"something", 16)
    check(runtime.cudaGraphInstantiate(byref(executable), graph, byref(other), log, c_size_t(16)))
    check((log.value, other.value), (b"", None))
    result = c_int(-1)
    check(runtime.cudaGraphExecUpdate(executable, graph, byref(other), byref(result)))
    check(result.value, 0)
check(runtime.cudaStreamCreate(byref(stream)))
check(runtime.cudaGraphLaunch(executable, stream))

status, identity = c_int(-1), c_ulonglong()
check(runtime.cudaStreamBeginCapture(stream, 0))
check(runtime.cudaStreamGetCaptureInfo(stream, byref(status), byref(identity)))
check(status.value, 1)
dependencies, count = c_void_p(), c_size_t(99)
check(runtime.cudaStreamGetCaptureInfo_v2(stream, byref(status), None, byref(other), byref(dependencies), byref(count)))
assert other.value
check(count.value, 0)
check(runtime.cudaGraphAddEmptyNode(byref(first), other, None, c_size_t(0)))
check(runtime.cudaStreamUpdateCaptureDependencies(stream, byref(first), c_size_t(1), 1))
check(runtime.cudaStreamGetCaptureInfo_v2(stream, byref(status), None, byref(other), byref(dependencies), byref(count)))
check(count.value, 1)
check(runtime.cudaStreamEndCapture(stream, byref(other)))

# The driver's functions are those of the release: cuMemPrefetchAsync has other parameters since 12.2.
driver = ctypes.CDLL("libcuda.so.1")
function = c_void_p()
words = (b"cuMemPrefetchAsync", byref(function), c_ulonglong(0))
check(runtime.cudaGetDriverEntryPoint(*words) if RELEASE == 11 else runtime.cudaGetDriverEntryPoint(*words, byref(status)))
check(function.value, ctypes.cast(driver.cuMemPrefetchAsync_v2 if RELEASE == 12 else driver.cuMemPrefetchAsync, c_void_p).value)


class Dim3(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint)]


class Wrapper(ctypes.Structure):
    """Of a fat binary, as nvcc writes it (fatbinary_section.h)."""
    _fields_ = [("magic", c_int), ("version", c_int), ("image", ctypes.c_char_p), ("more", c_void_p)]


COUNT = 64
host = ctypes.create_string_buffer(1)  # its address stands for the kernel
wrapper = Wrapper(0x466243b1, 1, open(sys.argv[2], "rb").read(), None)
runtime.__cudaRegisterFatBinary.restype = c_void_p
image = c_void_p(runtime.__cudaRegisterFatBinary(byref(wrapper)))
runtime.__cudaRegisterFunction(image, host, host, b"add", c_int(-1), None, None, None, None, None)
runtime.__cudaRegisterFatBinaryEnd(image)
if RELEASE == 11:
    kernel = Guarded(56)
    check(runtime.cudaFuncGetAttributes(kernel.memory, host))
    kernel.check()
    check(kernel.number(24) >= COUNT, True)  # maxThreadsPerBlock
check(runtime.cudaMalloc(byref(memory), c_size_t(4 * COUNT)))
check(runtime.cudaMemset(memory, 0, c_size_t(4 * COUNT)))
for what in (3, 4):
    number = c_int(what)
    parameters = (c_void_p * 2)(ctypes.addressof(memory), ctypes.addressof(number))
    check(runtime.cudaLaunchKernel(host, Dim3(1, 1, 1), Dim3(COUNT, 1, 1), parameters, c_size_t(0), stream))
values = (c_int * COUNT)()
check(runtime.cudaStreamSynchronize(stream))
check(runtime.cudaMemcpy(values, memory, c_size_t(4 * COUNT), 2))
check(list(values), [7] * COUNT)
check(runtime.cudaFree(memory))

check(runtime.cudaLaunchCooperativeKernelMultiDevice(None, 0, 0), 801)  # not supported
runtime.__cudaUnregisterFatBinary(image)
check(runtime.cudaThreadExit())
print("PASS")
