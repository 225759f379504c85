# SPDX-License-Identifier: Apache-2.0
"""Prints what the driver API says of the GPUs: how many, and the first one's name and UUID."""
import ctypes
import json
import uuid

from cuda_driver import Driver

driver = Driver()
count, device = ctypes.c_int(), ctypes.c_int()
name, identity = ctypes.create_string_buffer(256), ctypes.create_string_buffer(16)
driver.check("cuDeviceGetCount", ctypes.byref(count))
driver.check("cuDeviceGet", ctypes.byref(device), 0)
driver.check("cuDeviceGetName", name, 256, device)
driver.check("cuDeviceGetUuid", identity, device)
print(json.dumps({"count": count.value, "name": name.value.decode(), "uuid": str(uuid.UUID(bytes=identity.raw))}))
