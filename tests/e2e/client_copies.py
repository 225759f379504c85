# SPDX-License-Identifier: Apache-2.0
"""Copies to the device and back without end: no kernel, and the device's gate always wanted. Of its own memory, which it
copies into call buffers itself; "pinned": of memory that the accelerator copies from, where that shares memory."""
import ctypes
import sys

from cuda_driver import Driver

SIZE = 8 << 20

driver = Driver()
host = driver.allocate_host(SIZE) if "pinned" in sys.argv else ctypes.create_string_buffer(SIZE)
device = driver.allocate(SIZE)
print("copies", flush=True)
while True:
    driver.copy_in(device, host, SIZE)
    driver.copy_out(host, device, SIZE)
