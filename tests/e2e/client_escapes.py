# SPDX-License-Identifier: Apache-2.0
"""PTX that once left the interpreter (registers wider than their place, parameters without a name), loaded and launched as
far as it goes. Then an honest kernel, to see that the worker is in order."""
import ctypes

from cuda_driver import CudaError, Driver, Saxpy

HEAD = b".version 7.0\n.target sm_75\n.address_size 64\n"
WIDE = HEAD + b"""
.func (.param .align 8 .b8 out[16]) f(.param .align 8 .b8 p[16]) { ret; }
.visible .entry k() { .reg .b128 %q; call (%q), f, (%q); ret; }
\0"""
UNNAMED = HEAD + b"""
.func f(.reg .b64 _, .reg .b64 _, .reg .b64 _, .reg .b64 _) { ret; }
.visible .entry k() { call f, (0d4141414141414141, 0d4141414141414141, 0d4141414141414141, 0d4141414141414141); ret; }
\0"""

driver = Driver()
for text in (WIDE, UNNAMED):
    module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
    try:
        driver.check("cuModuleLoadData", ctypes.byref(module), text)
        driver.check("cuModuleGetFunction", ctypes.byref(kernel), module, b"k")
        driver.launch(kernel, (4, 1, 1), (128, 1, 1), ctypes.c_uint64(0))
        driver.synchronize()
    except CudaError as error:
        print(error)
saxpy = Saxpy(driver, 1000)
saxpy.fill()
saxpy.launch(3.0)
saxpy.verify(3)
print("PASS")
