# SPDX-License-Identifier: Apache-2.0
"""Makes the code of a kernel whose branches take seconds to follow, though its text is small."""
import ctypes

from cuda_driver import Driver

BRANCHES = 8000
LABELS = [f"L{number}" for number in range(BRANCHES)]
TEXT = (".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry expensive()\n{\n  .reg .b32 %r<3>;\n"
        f"T: .branchtargets {', '.join(LABELS)};\n" + "".join(f"{label}: brx.idx %r1, T;\n" for label in LABELS)
        + "  ret;\n}\n\0").encode()

driver = Driver()
module, function = ctypes.c_void_p(), ctypes.c_void_p()
driver.check("cuModuleLoadData", ctypes.byref(module), TEXT)
print("loaded", flush=True)
driver.check("cuModuleGetFunction", ctypes.byref(function), module, b"expensive")
print("PASS", flush=True)
