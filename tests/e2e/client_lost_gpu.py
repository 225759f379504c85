# SPDX-License-Identifier: Apache-2.0
"""Launches until the GPU reports an error, then says what every call answers, the driver's and the runtime's."""
import ctypes

from cuda_driver import CudaError, Driver, Saxpy


def status_of(call):
    try:
        call()
        return 0
    except CudaError as error:
        return error.status


driver = Driver()
saxpy = Saxpy(driver, 1000)
saxpy.fill()
launches = 0
while (first := status_of(driver.synchronize)) == 0 and launches < 1000:
    saxpy.launch(2.0)
    launches += 1
runtime = ctypes.CDLL("libcudart.so.13")
runtime.cudaGetErrorName.restype = ctypes.c_char_p
memory = ctypes.c_void_p()
later = {
    "synchronize": status_of(driver.synchronize),
    "allocate": status_of(lambda: driver.allocate(4096)),
    "copy": status_of(lambda: driver.copy_out(saxpy.host, saxpy.y, saxpy.size)),
    "free": status_of(lambda: driver.free(saxpy.x)),
    "cudaMalloc": runtime.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(4096)),
    "cudaDeviceSynchronize": runtime.cudaDeviceSynchronize(),
    "cudaGetLastError": runtime.cudaGetLastError(),
}
print(f"after {launches} launches: {first} {runtime.cudaGetErrorName(first).decode()}")
print(" ".join(f"{call}={status}" for call, status in later.items()))
print("PASS")
