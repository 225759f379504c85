# SPDX-License-Identifier: Apache-2.0
"""Loads a large module again and again and unloads none: host memory of its worker, no device memory."""
import ctypes

from cuda_driver import Driver

INSTRUCTIONS = 40000
TEXT = (b".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry large()\n{\n  .reg .b32 %r<3>;\n"
        + b"  add.u32 %r1, %r1, %r2;\n" * INSTRUCTIONS + b"  ret;\n}\n\0")

driver = Driver()
for count in range(10000):
    driver.check("cuModuleLoadData", ctypes.byref(ctypes.c_void_p()), TEXT)
    print(f"{count + 1} modules", flush=True)
