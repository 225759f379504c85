# SPDX-License-Identifier: Apache-2.0
"""A guest that speaks the protocol by hand, and can therefore break every rule of it.

Layouts: frontend/protocol/handshake.h, channel.h, calls.h."""
import array
import ctypes
import mmap
import os
import platform
import re
import socket
import struct
from pathlib import Path

from waiting import wait_until

CONNECT_REQUEST = struct.Struct("<6I64s64s")  # all of version 1's
SINCE_VERSION_2 = struct.Struct("<2I")
NEWEST, OLDEST = 2, 1
CONNECT_REQUEST_MAGIC = 0x4F4C4547
HOST_WINDOW_FEATURE = 1
CONNECT_REPLY = struct.Struct("<8I256s")  # then the device's profile
CONNECT_REPLY_BYTES_1 = CONNECT_REPLY.size + 256 + 16 + 8 + 8 + 4 * 160  # of version 1
CONNECT_REPLY_BYTES = CONNECT_REPLY_BYTES_1 + 8
REQUEST = struct.Struct("<IHHII")  # then 112 bytes of body
REQUEST_BYTES, REPLY_BYTES = 128, 64
REPLY = struct.Struct("<IiII48s")
GUEST_PARKED, WORKER_PARKED, COMPLETED, WORKER_STATE, CLOSE_REASON = 64, 128, 192, 196, 200
CLOSED = 3
CLOSE_PROTOCOL, CLOSE_WORKER = 2, 3

PING, MODULE_BEGIN, MODULE_DATA, MODULE_LOAD, MODULE_FUNCTION = 1, 3, 4, 5, 7
MEMORY_ALLOCATE, MEMORY_FREE, COPY_TO_DEVICE, COPY_FROM_DEVICE, COPY_DEVICE, FILL, LAUNCH = 10, 11, 14, 15, 16, 17, 18
STREAM_SYNCHRONIZE, EVENT_CREATE, CONTEXT_SYNCHRONIZE, CONTEXT_RESET, SET_LIMIT = 22, 24, 30, 31, 32
GRAPH_CREATE, GRAPH_ADD, GRAPH_READY, GRAPH_LAUNCH, GRAPH_DESTROY = 33, 34, 35, 36, 37
CALLS = Path(__file__).parents[2] / "frontend/protocol/calls.h"
LAST_CALL = max(int(number) for number in re.findall(r"^  CALL\((\d+),", CALLS.read_text(), re.M))

_SYS_FUTEX = {"x86_64": 202, "aarch64": 98}[platform.machine()]
_FUTEX_WAKE = 1
_libc = ctypes.CDLL(None, use_errno=True)


def connect_request(magic=CONNECT_REQUEST_MAGIC, version=NEWEST, oldest=OLDEST, features=0, slots=0, arena=0, kind=0,
                    domain=b"hostile", program=b"raw_guest"):
    packet = CONNECT_REQUEST.pack(magic, version, os.getpid(), slots, arena, kind, domain, program)
    return packet if version == 1 else packet + SINCE_VERSION_2.pack(oldest, features)


class RawGuest:
    def __init__(self, daemon, packet=None, patience=10):
        """Connects and, when `packet` is given, shakes hands with it."""
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(patience)
        self.socket.connect(os.path.join(daemon.directory, "guest.sock"))
        self.memory = None
        self.next = 1
        if packet is not None:
            self.socket.send(packet)
            self.read_connect_reply()

    def read_connect_reply(self):
        data, ancillary, _, _ = self.socket.recvmsg(CONNECT_REPLY_BYTES + 1, socket.CMSG_SPACE(4 * 4))
        whole = len(data) in (CONNECT_REPLY_BYTES_1, CONNECT_REPLY_BYTES)
        self.fields = CONNECT_REPLY.unpack(data[:CONNECT_REPLY.size]) if whole else None
        descriptors = array.array("i")
        for level, kind, payload in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                descriptors.frombytes(payload)
        if descriptors:
            self.take_pages(descriptors[0])
        for descriptor in descriptors:
            os.close(descriptor)

    def take_pages(self, descriptor):
        self.memory = mmap.mmap(descriptor, self.fields[3])
        self.words = (ctypes.c_uint32 * (len(self.memory) // 4)).from_buffer(self.memory)
        self.address = ctypes.addressof(self.words)
        self.slots = self.word(8)
        self.requests, self.replies, self.arena = self.word(16), self.word(20), self.word(24)
        self.arena_bytes = self.word(12)

    @property
    def version(self):
        return self.fields[1]

    @property
    def error(self):
        return self.fields[2]

    @property
    def message(self):
        return self.fields[8].split(b"\0")[0].decode()

    def close(self):
        self.socket.close()

    # --- the shared pages

    # Through ctypes, which reads and writes a word at once; struct and slices go byte by byte, and the worker
    # would see half a sequence number.

    def word(self, offset):
        return self.words[offset // 4]

    def set_word(self, offset, value):
        self.words[offset // 4] = value & 0xFFFFFFFF

    def write_data(self, data, offset=0):
        self.memory[self.arena + offset:self.arena + offset + len(data)] = data

    def wake(self, word=WORKER_PARKED):
        _libc.syscall(_SYS_FUTEX, ctypes.c_void_p(self.address + word), _FUTEX_WAKE, 0x7FFFFFFF, None, None, 0)

    def ring(self):
        """The doorbell: only while the worker sleeps, which an odd word says."""
        asleep = self.word(WORKER_PARKED)
        if asleep & 1:
            self.set_word(WORKER_PARKED, asleep + 1)
            self.wake()

    def post(self, call, body=b"", data_offset=0, data_bytes=0, sequence=None):
        """Publishes a request as it should be done, but for what the arguments falsify."""
        mine = self.next
        self.next += 1
        slot = self.requests + (mine & (self.slots - 1)) * REQUEST_BYTES
        self.memory[slot + 4:slot + REQUEST_BYTES] = (
            REQUEST.pack(0, call, 0, data_offset, data_bytes)[4:] + body.ljust(112, b"\0"))
        self.set_word(slot, mine if sequence is None else sequence)
        self.ring()
        return mine

    @staticmethod
    def wait(look, seconds, what):
        """An answer takes microseconds: a short spin first, so that many calls do not cost a sleep each."""
        for _ in range(500):
            if look():
                return
        wait_until(look, seconds, what)

    def closed(self):
        return self.word(WORKER_STATE) == CLOSED

    def reply(self, sequence, seconds=10):
        """(status, flags, body) of the reply."""
        slot = self.replies + (sequence & (self.slots - 1)) * REPLY_BYTES

        def look():
            self.ring()  # the worker may have parked just after our last look
            return self.word(slot) == sequence

        self.wait(look, seconds, f"a reply to request {sequence}")
        _, status, flags, _, body = REPLY.unpack(self.memory[slot:slot + REPLY_BYTES])
        return status, flags, body

    def call(self, call, body=b"", data_offset=0, data_bytes=0):
        return self.reply(self.post(call, body, data_offset, data_bytes))

    def status(self, *arguments, **names):
        return self.call(*arguments, **names)[0]

    def completed(self, sequence, seconds=10):
        def look():
            self.ring()
            return (self.word(COMPLETED) - sequence) & 0xFFFFFFFF < 1 << 31

        self.wait(look, seconds, f"request {sequence} is completed")

    def works(self):
        return self.call(PING, struct.pack("<Q", 0xABCD)) [2][:8] == struct.pack("<Q", 0xABCD)

    def hung_up(self, seconds=10):
        """Waits for the daemon's end of the connection to close."""
        self.socket.settimeout(seconds)
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True
