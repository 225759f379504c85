# SPDX-License-Identifier: Apache-2.0
"""One context after the other, each used."""
from cuda_driver import Driver, Saxpy

driver = Driver()
for _ in range(3):
    saxpy = Saxpy(driver, 1000)
    saxpy.fill()
    saxpy.launch(2.0)
    saxpy.verify(2)
    driver.destroy_context()
    driver.create_context()
print("PASS")
