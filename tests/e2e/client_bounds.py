# SPDX-License-Identifier: Apache-2.0
"""A Python program whose kernel reads and writes one element behind its array, twice."""
import ctypes

from cuda_driver import PTX, Driver

BEHIND = PTX.replace(b"setp.ge.u32", b"setp.gt.u32")  # i > n


class Arguments(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint64), ("y", ctypes.c_uint64), ("a", ctypes.c_float), ("n", ctypes.c_uint32)]


driver = Driver()
_, kernel = driver.function(BEHIND, b"saxpy")
x, y = driver.allocate(4 * 128), driver.allocate(4 * 64)
for _ in range(2):
    driver.launch(kernel, (1, 1, 1), (128, 1, 1), Arguments(x.value, y.value, 2.0, 64))
driver.synchronize()
