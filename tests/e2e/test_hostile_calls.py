# SPDX-License-Identifier: Apache-2.0
"""Guests that lie in their call buffer: what breaks the ring's rules closes the channel, a bad call gets an error."""
import os
import random
import struct
import unittest

import raw_guest as raw
from hostile import HostileTest
from raw_guest import connect_request
from waiting import wait_until

INVALID_VALUE, OUT_OF_MEMORY, INVALID_IMAGE, INVALID_PTX, INVALID_HANDLE, NOT_SUPPORTED = 1, 2, 200, 218, 400, 801


class Ring(HostileTest):
    def closed(self, guest):
        """The channel is closed for what it did, and the connection with it."""
        wait_until(guest.closed, 10, "the channel is closed")
        self.assertEqual(guest.word(raw.CLOSE_REASON), raw.CLOSE_PROTOCOL)
        self.assertTrue(guest.hung_up())

    def test_lying_sequence_numbers(self):
        for sequence in (2, 0, 0x80000000, 0xFFFFFFFF, 1 + 256):
            guest = self.connect(connect_request())
            guest.post(raw.PING, sequence=sequence)
            self.closed(guest)

    def test_lying_later(self):
        guest = self.connect(connect_request())
        for _ in range(300):  # more than one lap
            self.assertTrue(guest.works())
        guest.post(raw.PING, sequence=1)
        self.closed(guest)

    def test_data_outside_the_arena(self):
        for offset, size in ((0, 0xFFFFFFFF), (0xFFFFFFFF, 1), (0xFFFFFFFF, 0xFFFFFFFF), (1, None), (None, 1)):
            guest = self.connect(connect_request())
            guest.post(raw.PING, data_offset=guest.arena_bytes if offset is None else offset,
                       data_bytes=guest.arena_bytes if size is None else size)
            self.closed(guest)

    def test_the_workers_own_words(self):
        """What the worker writes, overwritten: its guest alone is confused."""
        guest = self.connect(connect_request())
        chance = random.Random(1)
        for _ in range(200):
            for offset in (raw.GUEST_PARKED, raw.COMPLETED, raw.WORKER_STATE, raw.CLOSE_REASON):
                guest.set_word(offset, chance.randrange(1 << 32))
            guest.post(raw.PING)
        guest.memory[0:4096] = os.urandom(4096)  # the header, constants included
        guest.wake()

    def test_noise(self):
        for seed in range(10):
            guest = self.connect(connect_request())
            chance = random.Random(seed)
            guest.memory[4096:guest.arena] = chance.randbytes(guest.arena - 4096)
            guest.set_word(raw.WORKER_PARKED, 0)
            guest.wake()
            self.closed(guest)

    def test_a_guest_that_reads_no_reply(self):
        guest = self.connect(connect_request(slots=16))
        for _ in range(100):
            guest.completed(guest.post(raw.PING))
        for _ in range(16):  # and now without a look at all
            guest.post(raw.PING)
        self.assertTrue(self.daemon.alive())

    def test_a_doorbell_that_never_rests(self):
        guest = self.connect(connect_request())
        rings = 0
        while self.honest.runs():
            for _ in range(1000):
                guest.set_word(raw.WORKER_PARKED, rings)
                guest.wake()
                guest.wake(raw.GUEST_PARKED)
                rings += 1
        self.assertGreater(rings, 1000)


class Calls(HostileTest):
    def setUp(self):
        super().setUp()
        self.daemon.ask("set", "--create", "hostile", "memory=512M")
        self.bad = self.connect(connect_request())

    def tearDown(self):
        self.assertTrue(self.bad.works())  # refused calls close nothing
        super().tearDown()

    def synchronize(self):
        """The status of what was posted before: told once, then forgotten."""
        status = self.bad.status(raw.CONTEXT_SYNCHRONIZE)
        self.assertEqual(self.bad.status(raw.CONTEXT_SYNCHRONIZE), 0)
        return status

    def test_unknown_calls(self):
        for number in (0, raw.LAST_CALL + 1, 1000, 0xFFFF):
            self.assertEqual(self.bad.status(number, os.urandom(112)), NOT_SUPPORTED)

    def test_every_call_with_noise(self):
        chance = random.Random(2)
        for lap in range(20):
            for number in range(1, raw.LAST_CALL + 1):
                if number == raw.CONTEXT_RESET and lap % 5:
                    continue
                sequence = self.bad.post(number, chance.randbytes(112), chance.randrange(4096), chance.randrange(4096))
                self.bad.completed(sequence)

    def load(self, data, announced=None, kind=1):
        begun = self.bad.status(raw.MODULE_BEGIN,
                                struct.pack("<QII", len(data) if announced is None else announced, kind, 0))
        if begun != 0:
            return begun
        for offset in range(0, len(data), 65536):
            piece = data[offset:offset + 65536]
            self.bad.write_data(piece)
            self.bad.completed(self.bad.post(raw.MODULE_DATA, struct.pack("<Q", offset), 0, len(piece)))
        return self.bad.status(raw.MODULE_LOAD, bytes(8))

    def test_modules_of_garbage(self):
        chance = random.Random(3)
        fatbin = struct.pack("<IHHQ", 0xBA55ED50, 1, 16, 1 << 40) + chance.randbytes(5000)
        ptx = b".version 7.0\n.target sm_75\n.address_size 64\n"
        deep = ptx + b".visible .entry k() {" + b"{" * 100000
        for data in (chance.randbytes(1), chance.randbytes(200000), b"\0" * 4096, fatbin, b"\x7fELF" + bytes(60),
                     ptx + b".visible .entry k( { ret }", ptx + b"\xff" * 1000, deep, b".version 99.9\n"):
            self.assertIn(self.load(data), (INVALID_IMAGE, INVALID_PTX, 209, 222), data[:60])
        for kind in (0, 2, 3, 0xFFFFFFFF):
            self.assertEqual(self.load(chance.randbytes(64), kind=kind), INVALID_IMAGE)

    def test_modules_of_absurd_size(self):
        for announced in (0, 1 << 29, 1 << 63, (1 << 64) - 1):
            self.assertEqual(self.load(b"x" * 100, announced=announced), INVALID_IMAGE)
        self.assertEqual(self.load(b"x" * 100, announced=101), INVALID_IMAGE)
        huge = b".version 7.0\n.target sm_75\n.address_size 64\n.global .b8 all[%d];\n"
        for size in (1 << 40, (1 << 63) - 1, (1 << 64) - 1):
            self.assertIn(self.load(huge % size), (OUT_OF_MEMORY, INVALID_IMAGE, INVALID_PTX))

    def test_absurd_allocations(self):
        for size in (1 << 63, (1 << 64) - 1, (1 << 64) - 256, 1 << 40):
            self.assertEqual(self.bad.status(raw.MEMORY_ALLOCATE, struct.pack("<Q", size)), OUT_OF_MEMORY)
        for address in (1, 1 << 63, (1 << 64) - 1):
            self.assertEqual(self.bad.status(raw.MEMORY_FREE, struct.pack("<Q", address)), INVALID_VALUE)

    def test_very_many_allocations(self):
        """Until the domain's memory is gone; it comes back with the task's end."""
        statuses = {self.bad.status(raw.MEMORY_ALLOCATE, struct.pack("<Q", 1 << 20)) for _ in range(600)}
        self.assertEqual(statuses, {0, OUT_OF_MEMORY})

    def test_unknown_handles(self):
        launch = struct.pack("<QQ3I3HHII", 0xDEADBEEF, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0)
        self.bad.post(raw.LAUNCH, launch)
        self.assertEqual(self.synchronize(), INVALID_HANDLE)
        for handle in (1, 1 << 32, (1 << 64) - 1):
            self.assertEqual(self.bad.status(raw.STREAM_SYNCHRONIZE, struct.pack("<Q", handle)), INVALID_HANDLE)

    def test_copies_to_nowhere(self):
        for address, size in ((0, 64), (1 << 63, 64), ((1 << 64) - 32, 64)):
            self.bad.post(raw.COPY_TO_DEVICE, struct.pack("<5Q", 0, address, size, size, 1), 0, size)
            self.assertEqual(self.synchronize(), INVALID_VALUE)
            self.assertEqual(self.bad.status(raw.COPY_FROM_DEVICE, struct.pack("<5Q", 0, address, size, size, 1),
                                             0, size), INVALID_VALUE)
        # Rows whose number times length is 64 only when it wraps.
        self.bad.post(raw.COPY_TO_DEVICE, struct.pack("<5Q", 0, 4096, 0, 1 << 63, 2), 0, 64)
        self.assertEqual(self.synchronize(), INVALID_VALUE)
        self.bad.post(raw.COPY_DEVICE, struct.pack("<7Q", 0, 16, 1 << 63, 32, 1 << 63, 1 << 62, 1 << 62))
        self.assertEqual(self.synchronize(), INVALID_VALUE)
        self.bad.post(raw.FILL, struct.pack("<5QII", 0, 16, 1 << 62, 1 << 62, 1 << 62, 4, 0))
        self.assertEqual(self.synchronize(), INVALID_VALUE)

    def create_graph(self):
        status, _, body = self.bad.call(raw.GRAPH_CREATE, bytes(8))
        self.assertEqual(status, 0)
        return struct.unpack_from("<Q", body)[0]

    def add(self, graph, call, request, size=0):
        return self.bad.post(raw.GRAPH_ADD, struct.pack("<QII", graph, call, 0) + request, 0, size)

    def test_graphs_of_garbage(self):
        chance = random.Random(4)
        kept = (raw.LAUNCH, raw.COPY_DEVICE, raw.FILL)
        for call in (*kept, 0, raw.PING, raw.GRAPH_ADD, raw.GRAPH_LAUNCH, raw.CONTEXT_RESET, 0xFFFF, 0x10000 + raw.FILL):
            graph = self.create_graph()
            for _ in range(20):
                self.bad.completed(self.add(graph, call, chance.randbytes(96), chance.randrange(4096)))
            ready = self.bad.status(raw.GRAPH_READY, struct.pack("<Q", graph))
            self.assertEqual(ready, 0 if call in kept else NOT_SUPPORTED, call)
            self.bad.post(raw.GRAPH_LAUNCH, struct.pack("<QQ", graph, 0))
            self.assertIn(self.synchronize(), (INVALID_VALUE, INVALID_HANDLE) if call in kept else (NOT_SUPPORTED,))

    def test_graphs_that_grow_for_ever(self):
        graph = self.create_graph()
        piece = self.bad.arena_bytes // 4
        for _ in range(2 * (64 << 20) // piece):
            self.bad.completed(self.add(graph, raw.LAUNCH, bytes(48), piece))
        self.assertEqual(self.bad.status(raw.GRAPH_READY, struct.pack("<Q", graph)), OUT_OF_MEMORY)
        other = self.create_graph()  # the bytes are those of all graphs
        self.bad.completed(self.add(other, raw.LAUNCH, bytes(48), piece))
        self.assertEqual(self.bad.status(raw.GRAPH_READY, struct.pack("<Q", other)), OUT_OF_MEMORY)
        self.bad.post(raw.GRAPH_DESTROY, struct.pack("<Q", graph))
        other = self.create_graph()
        self.bad.completed(self.add(other, raw.LAUNCH, bytes(48), piece))
        self.assertEqual(self.bad.status(raw.GRAPH_READY, struct.pack("<Q", other)), 0)

    def test_unknown_graphs(self):
        for handle in (0, 1, 1 << 32, (1 << 64) - 1):
            self.assertEqual(self.bad.status(raw.GRAPH_READY, struct.pack("<Q", handle)), INVALID_HANDLE)
            for call, body in ((raw.GRAPH_ADD, struct.pack("<QII", handle, raw.FILL, 0)),
                               (raw.GRAPH_LAUNCH, struct.pack("<QQ", handle, 0)),
                               (raw.GRAPH_DESTROY, struct.pack("<Q", handle))):
                self.bad.post(call, body)
                self.assertEqual(self.synchronize(), INVALID_HANDLE)

    def test_more_handles_than_are_kept(self):
        self.assertEqual(self.bad.status(raw.EVENT_CREATE, bytes(8)), 0)
        for _ in range(70000 // 200):
            for _ in range(200):  # fewer than slots
                last = self.bad.post(raw.EVENT_CREATE, bytes(8))
            status, _, _ = self.bad.reply(last)
        self.assertEqual(status, OUT_OF_MEMORY)


if __name__ == "__main__":
    unittest.main()
