# SPDX-License-Identifier: Apache-2.0
"""A guest that reads the totals of its domain's tasks by hand. Layout: frontend/protocol/totals.h."""
import mmap
import os
import struct

from raw_guest import RawGuest, connect_request
from waiting import wait_until

TASKS = 254
HEADER = struct.Struct("<6IQ32x")
TASK = struct.Struct("<IIQI12x")
MAGIC = 0x53544F54


class Observer(RawGuest):
    """Its `descriptor` stays open, for what a guest might try with it."""

    def __init__(self, daemon, domain):
        self.descriptor = None
        super().__init__(daemon, connect_request(kind=1, domain=domain.encode()))

    def take_pages(self, descriptor):
        self.descriptor = os.dup(descriptor)
        self.memory = mmap.mmap(descriptor, self.fields[3], access=mmap.ACCESS_READ)

    def close(self):
        super().close()
        if self.descriptor is not None:
            os.close(self.descriptor)
            self.descriptor = None

    def header(self):
        return HEADER.unpack_from(self.memory)

    def updates(self):
        return self.header()[6]

    def totals(self):
        """[(task, process, device_ns, calling)], as they were at one moment."""
        def copy():
            before = self.header()
            entries = [TASK.unpack_from(self.memory, HEADER.size + i * TASK.size) for i in range(before[3])]
            return (entries,) if before[2] % 2 == 0 and self.header()[2] == before[2] else None

        return wait_until(copy, 5, "a consistent copy of the totals")[0]
