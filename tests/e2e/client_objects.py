# SPDX-License-Identifier: Apache-2.0
"""Makes as many streams and events as its arguments say, holds them until a line comes, and computes with them there."""
import ctypes
import sys

from cuda_driver import Driver, Saxpy

streams, events = (int(word) for word in sys.argv[1:])
driver = Driver()
saxpy = Saxpy(driver, 256)
saxpy.fill()
held = [ctypes.c_void_p() for _ in range(streams + events)]
for stream in held[:streams]:
    driver.check("cuStreamCreate", ctypes.byref(stream), 0)
for event in held[streams:]:
    driver.check("cuEventCreate", ctypes.byref(event), 0)
print("ready", flush=True)
sys.stdin.readline()
for stream, event in zip(held[:streams], held[streams:]):
    driver.check("cuEventRecord", event, stream)
    driver.check("cuStreamSynchronize", stream)
saxpy.launch(1.0)
saxpy.verify(1)
print("PASS")
