# SPDX-License-Identifier: Apache-2.0
"""Allocates mebibyte after mebibyte until out of memory, says how many it got, and holds them until a line comes."""
import sys

from cuda_driver import OUT_OF_MEMORY, CudaError, Driver

driver = Driver()
held = []
try:
    while True:
        held.append(driver.allocate(1 << 20))
except CudaError as error:
    if error.status != OUT_OF_MEMORY:
        raise
print(f"holds {len(held)}", flush=True)
sys.stdin.readline()
print("PASS")
