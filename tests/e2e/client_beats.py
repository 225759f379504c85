# SPDX-License-Identifier: Apache-2.0
"""Computes without end, and says so after each kernel."""
from cuda_driver import Driver, Saxpy

saxpy = Saxpy(Driver(), 1000)
saxpy.fill()
factors = 0
while True:
    factors += 1
    saxpy.launch(1.0)
    saxpy.verify(factors)
    print(factors, flush=True)
