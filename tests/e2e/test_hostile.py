# SPDX-License-Identifier: Apache-2.0
"""A client that connects and lies is refused, the daemon lives, and an honest program beside it verifies."""
import errno
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import unittest
from pathlib import Path

import processes
from hostile import HostileTest
from raw_guest import RawGuest, connect_request
from service_unit import UNIT
from support import EndToEndTest, as_the_service, workload
from waiting import wait_until


class Handshake(HostileTest):
    def refused(self, packet, error, *words):
        guest = self.connect(packet)
        self.assertEqual(guest.error, error, guest.message)
        for word in words:
            self.assertIn(word, guest.message)
        self.assertIsNone(guest.memory)
        self.assertTrue(guest.hung_up())

    def test_version(self):
        for version in (0, 3, 0xFFFFFFFF):
            self.refused(connect_request(version=version, oldest=version), errno.EPROTONOSUPPORT, f"version {version},",
                         "pegasusd speaks versions 1 to 2")
        self.refused(connect_request(version=2, oldest=3), errno.EPROTO, "versions 3 to 2")

    def test_garbage(self):
        self.refused(b"x", errno.EPROTO)
        self.refused(b"GET / HTTP/1.1\r\n\r\n", errno.EPROTO, "not a connect request")
        self.refused(connect_request(magic=0), errno.EPROTO)
        self.refused(os.urandom(4000), errno.EPROTO)

    def test_size(self):
        self.refused(connect_request(version=1)[:-1], errno.EPROTO, "151", "152")
        self.refused(connect_request().ljust(4097), errno.EPROTO, "4097", "4096")
        self.refused(connect_request()[:8], errno.EPROTO)
        for size in (152, 155, 161, 4096):
            guest = self.connect(connect_request().ljust(size, b"\xff")[:size])
            self.assertEqual((guest.error, guest.message), (0, ""))
            self.assertTrue(guest.works())

    def test_unknown_kind(self):
        for kind in (2, 0xFFFFFFFF):
            self.refused(connect_request(kind=kind), errno.EINVAL, f"kind {kind}")

    def test_domain_names(self):
        for name in (b"../up", b"a b", b"\x1b[2J", b"-x", b".", b"x" * 64, b"\xff\xfe"):
            self.refused(connect_request(domain=name), errno.EINVAL, "letters, digits")

    def test_names_are_safe_to_show(self):
        self.connect(connect_request(domain=b"evil", program=b"\x1b[2J\nfake: line"))
        task, = self.daemon.tasks("evil")
        self.assertEqual(task["program"], "?[2J?fake: line")
        self.assertNotIn("\x1b", self.daemon.ctl("domains").stdout)

    def test_wishes_beyond_all_bounds(self):
        for slots, arena in ((0xFFFFFFFF, 0xFFFFFFFF), (1, 1), (17, 4097)):
            guest = self.connect(connect_request(slots=slots, arena=arena))
            self.assertEqual(guest.error, 0)
            self.assertTrue(16 <= guest.slots <= 4096 and guest.slots & (guest.slots - 1) == 0)
            self.assertTrue(1 << 16 <= guest.arena_bytes <= 1 << 26)
            self.assertTrue(guest.works())

    def test_silence(self):
        guest = self.connect()
        guest.read_connect_reply()  # within its patience of 10 seconds
        self.assertEqual(guest.error, errno.ETIMEDOUT)
        self.assertTrue(guest.hung_up())

    def test_many_silent_ones_block_no_other(self):
        # More than the daemon shakes hands with at a time (guest_server.cpp).
        silent = [self.connect() for _ in range(100)]
        program = self.guest(self.daemon, [workload("vector_add"), "--elements", "1000"])
        self.assertPassed(program, within=3)
        self.assertEqual(len(silent), 100)

    def test_leaving_early(self):
        for _ in range(50):
            self.connect().close()
        for _ in range(10):
            guest = self.connect()
            guest.socket.send(connect_request())
            guest.close()

    def test_a_second_packet(self):
        guest = self.connect(connect_request())
        self.assertTrue(guest.works())
        guest.socket.send(connect_request())
        self.assertTrue(guest.hung_up())


class Bounds(HostileTest):
    def test_a_worker_is_sandboxed(self):
        """The descriptors are null, what it says, and its eventfd; it sees no file."""
        self.connect(connect_request())
        task, = self.daemon.tasks("hostile")
        worker = task["worker_pid"]
        self.assertJailed(self.daemon, worker)
        if "namespaces" not in self.daemon.ask("version")["pegasusd"]["workers_lack"]:
            self.assertEqual(os.listdir(f"/proc/{worker}/root"), [])
        self.assertEqual(sorted(map(int, os.listdir(f"/proc/{worker}/fd"))), [0, 1, 2, 11])
        self.assertEqual(Path(f"/proc/{worker}/timerslack_ns").read_text(), "1000\n")
        limits = Path(f"/proc/{worker}/limits").read_text()
        self.assertRegex(limits, r"Max core file size +0 +0")
        self.assertRegex(limits, r"Max file size +0 +0")
        self.assertRegex(limits, r"Max open files +16 +16")
        for bounded in ("data size", "address space"):
            self.assertNotRegex(limits, rf"Max {bounded} +unlimited")

    def test_what_a_worker_may_write(self):
        """Of pages that others read it can write its own alone, and cannot make others writable."""
        self.connect(connect_request())
        self.connect(connect_request(domain=b"other"))
        tasks = [task for domain in ("hostile", "other") for task in self.daemon.tasks(domain)]
        self.assertEqual(len(tasks), 2)
        for task in tasks:
            self.assertJailed(self.daemon, task["worker_pid"])  # it maps them first
            shared = processes.shared_memory(task["worker_pid"])
            for name in ("pegasus-engine", "pegasus-limits", "pegasus-gate"):
                self.assertEqual([area.may_write for area in shared[name]], [False], name)
            writable, = [area for area in shared["pegasus-slots"] if area.may_write]
            self.assertEqual((writable.offset, writable.size), (task["id"] * 4096, 4096))

    @unittest.skipUnless(os.geteuid() == 0, "root's capabilities are to be taken away")
    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze, which knows the unit's system calls, is missing")
    def test_the_service_has_what_it_needs(self):
        """With no more than the service's unit leaves it, workers are separated as with all of root's rights."""
        daemon = self.start_daemon(name="service", under=as_the_service(self.directory))
        for kind in ("mnt", "net"):
            self.assertNotEqual(processes.namespaces(daemon.pid)[kind], processes.namespaces("self")[kind])
        self.assertEqual(self.separation(daemon), self.separation(self.daemon))
        guest = RawGuest(daemon, connect_request())
        task, = daemon.tasks("hostile")
        self.assertJailed(daemon, task["worker_pid"])
        guest.close()
        daemon.wait_until_clean()  # it may end another user's process
        self.assertPassed(self.guest(daemon, [workload("vector_add")], domain="other"))

    def test_very_many_domains(self):
        """More than are kept: the oldest that are neither in use nor set are forgotten, the others go on."""
        self.daemon.ask("set", "--create", "kept", "credits=7")
        used = RawGuest(self.daemon, connect_request(domain=b"used"))
        for number in range(1100):
            guest = RawGuest(self.daemon, connect_request(domain=b"d%d" % number))
            self.assertEqual((guest.error, guest.message), (0, ""))
            guest.close()
        domains = self.daemon.domains()
        used.close()
        self.assertEqual(len(domains), 1024)
        self.assertEqual(domains["kept"]["credits"], 7)
        self.assertLessEqual({"used", "d1099"}, set(domains))
        self.assertNotIn("d0", domains)

    def test_very_many_tasks_of_one_domain(self):
        """More than are let in: the next one is refused, other domains are served."""
        guests = []
        try:
            for _ in range(257):
                guests.append(RawGuest(self.daemon, connect_request(domain=b"greedy")))
            self.assertEqual({guest.error for guest in guests[:256]}, {0})
            self.assertEqual(guests[256].error, errno.EAGAIN)
            self.assertIn("the limit per domain", guests[256].message)
            self.assertPassed(self.guest(self.daemon, [workload("vector_add")], domain="other"))
        finally:
            for guest in guests:
                guest.close()

    def tearDown(self):
        self.assertPassed(self.honest)
        for guest in getattr(self, "guests", ()):
            guest.close()
        self.daemon.wait_until_clean(seconds=20)


class Unit(unittest.TestCase):
    # What pegasusd's jails cost: the unit's comments say what for. systemd counts from 0 to 10.
    MOST_EXPOSED = 3.2

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze, whose score this is, is missing")
    def test_systemds_score(self):
        said = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager",
                               f"--threshold={round(self.MOST_EXPOSED * 10)}", UNIT], capture_output=True, text=True)
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)


class Log(EndToEndTest):
    def test_it_is_not_read(self):
        """A full pipe as standard error: a line that a guest causes stops nothing."""
        reads, writes = os.pipe2(os.O_NONBLOCK)
        self.addCleanup(os.close, reads)
        self.addCleanup(os.close, writes)
        with self.assertRaises(BlockingIOError):
            while True:
                os.write(writes, b"x" * 4096)
        os.set_blocking(writes, True)
        daemon = self.start_daemon(stderr=writes)
        guest = RawGuest(daemon, connect_request())
        task, = daemon.tasks("hostile")
        os.kill(task["worker_pid"], signal.SIGKILL)  # is logged
        self.assertTrue(guest.hung_up())
        guest.close()
        self.assertEqual(daemon.ask("policy")["name"], "accc")
        self.assertPassed(self.guest(daemon, [workload("vector_add")], domain="other"))
        self.assertEqual(daemon.terminate(), 0)


class ControlSocket(HostileTest):
    def control(self):
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(10)
        connection.connect(os.path.join(self.daemon.directory, "control.sock"))
        self.addCleanup(connection.close)
        return connection

    def test_garbage(self):
        for data in (b"\xff\xff\xff\xff", b"GET / HTTP/1.1\r\n\r\n", struct.pack("<I", 5) + b"\xff" * 5,
                     struct.pack("<I", 1 << 20) + b"x" * 100, b"\0\0\0\0", b"\x02\0"):
            connection = self.control()
            connection.send(data)
            self.assertEqual(self.daemon.ask("policy")["name"], "accc")
            connection.close()

    def test_many_that_say_nothing(self):
        connections = [self.control() for _ in range(40)]
        self.assertEqual(self.daemon.ask("policy")["name"], "accc")
        for connection in connections:
            connection.close()


if __name__ == "__main__":
    unittest.main()
