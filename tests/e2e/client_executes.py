# SPDX-License-Identifier: Apache-2.0
"""Executes a kernel `k` that stores 41, and prints PASS. Usage: client_executes.py FILE"""
import ctypes
import sys
from pathlib import Path

from cuda_driver import Driver


class Arguments(ctypes.Structure):
    _fields_ = [("out", ctypes.c_uint64)]


def execute(driver, code):
    _, kernel = driver.function(code, b"k")
    out, host = driver.allocate(4), driver.allocate_host(4)
    driver.launch(kernel, (1, 1, 1), (1, 1, 1), Arguments(out.value))
    driver.copy_out(host, out, 4)
    assert ctypes.c_int.from_address(host.value).value == 41
    print("PASS")


if __name__ == "__main__":
    execute(Driver(), Path(sys.argv[1]).read_bytes())
