# SPDX-License-Identifier: Apache-2.0
"""A Python program on the driver API: loads PTX text, launches with `extra`, checks the result.
Usage: client_saxpy.py [ELEMENTS [LAUNCHES]]"""
import sys

from cuda_driver import Driver, Saxpy

elements = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
launches = int(sys.argv[2]) if len(sys.argv) > 2 else 3
driver = Driver()
print("capability %d.%d" % driver.capability())
saxpy = Saxpy(driver, elements)
saxpy.fill()
for factor in range(1, launches + 1):
    saxpy.launch(float(factor))
saxpy.verify(sum(range(1, launches + 1)))
saxpy.close()
print("PASS")
