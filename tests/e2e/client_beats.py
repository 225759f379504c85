# SPDX-License-Identifier: Apache-2.0
"""Computes without end, and says so after each kernel."""
from itertools import count

from cuda_driver import Driver, Saxpy

EXACT = 10_000  # sums that a float holds exactly: 999 * EXACT < 2^24

saxpy = Saxpy(Driver(), 1000)
for beat in count():
    if beat % EXACT == 0:
        saxpy.fill()
    saxpy.launch(1.0)
    saxpy.verify(beat % EXACT + 1)
    print(beat, flush=True)
