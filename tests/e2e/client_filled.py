# SPDX-License-Identifier: Apache-2.0
"""Fills as many mebibytes of device memory as its argument says, and holds them until a line comes; then they must be as
they were, and it computes."""
import ctypes
import sys

from cuda_driver import Driver, Saxpy

MEBIBYTE = 1 << 20

driver = Driver()
saxpy = Saxpy(driver, 256)
saxpy.fill()
held = [driver.allocate(MEBIBYTE) for _ in range(int(sys.argv[1]))]
for number, address in enumerate(held):
    driver.check("cuMemsetD32_v2", address, ctypes.c_uint32(number * 2654435761 % (1 << 32)), ctypes.c_size_t(MEBIBYTE // 4))
print("ready", flush=True)
sys.stdin.readline()
words = (ctypes.c_uint32 * (MEBIBYTE // 4))()
for number, address in enumerate(held):
    driver.check("cuMemcpyDtoH_v2", words, address, ctypes.c_size_t(MEBIBYTE))
    if set(words) != {number * 2654435761 % (1 << 32)}:
        sys.exit(f"mebibyte {number} is not what it was")
saxpy.launch(1.0)
saxpy.verify(1)
print("PASS")
