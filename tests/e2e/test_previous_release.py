# SPDX-License-Identifier: Apache-2.0
"""Two releases meet: guest libraries of the last one and today's pegasusd, the other way round, and versions that do not
exist."""
import errno
import os
import signal
import socket
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

import previous_release
import processes
from daemon import Daemon
from raw_guest import CONNECT_REPLY, CONNECT_REPLY_BYTES, HOST_WINDOW_FEATURE, NEWEST, OLDEST, RawGuest, connect_request
from support import BUILD, EndToEndTest, python, workload
from waiting import wait_until

CONNECT_REPLY_MAGIC = 0x4D4F4357
# Each verifies its result. Together: copies, launches, graphs, streams and events, device printf, the driver API.
PROGRAMS = ("matrix_mul", "graphs", "streams_overlap", "printf_malloc", "driver_api", "copies", "device_reset")


class TwoReleases(EndToEndTest):
    libraries = BUILD  # of the programs

    def with_libraries(self, daemon, command, domain="mine", **how):
        environment = daemon.environment_of_guest(domain) | {"LD_LIBRARY_PATH": str(self.libraries / "lib")}
        return self.start(command, environment=environment, **how)

    @staticmethod
    def versions(daemon):
        """Of the call buffers that pegasusd holds, as their headers say."""
        found = []
        for descriptor in Path(f"/proc/{daemon.pid}/fd").iterdir():
            try:
                if os.readlink(descriptor).startswith("/memfd:pegasus-channel "):
                    found.append(int.from_bytes(descriptor.read_bytes()[4:8], "little"))
            except FileNotFoundError:  # closed meanwhile
                pass
        return found

    def assertUses(self, program, library):
        self.assertIn(str(self.libraries / "lib" / library), Path(f"/proc/{program.pid}/maps").read_text())

    def compute(self, daemon, version):
        """Programs that verify their results, and the version in which one of them is served."""
        holds = self.with_libraries(daemon, python("client_idle.py"), stdin=subprocess.PIPE)
        wait_until(lambda: "ready" in holds.out or not holds.runs(), 60, lambda: f"it is served: {holds}")
        self.assertUses(holds, "libcuda.so.1")
        self.assertEqual(self.versions(daemon), [version])
        for name in PROGRAMS:
            with self.subTest(name):
                self.assertPassed(self.with_libraries(daemon, [workload(name)]))
        holds.popen.stdin.close()
        self.assertStatus(holds, 0)
        daemon.wait_until_clean()

    def wait_for_admission(self, daemon):
        for domain in ("first", "second"):
            daemon.ask("set", "--create", domain, "memory=96M")
        first = self.with_libraries(daemon, python("client_idle.py"), domain="first", stdin=subprocess.PIPE)
        wait_until(lambda: "ready" in first.out or not first.runs(), 60, lambda: f"it is let in: {first}")
        second = self.with_libraries(daemon, python("client_idle.py"), domain="second", stdin=subprocess.PIPE)
        wait_until(lambda: "waiting for an accelerator: domain second" in second.err or not second.runs(), 60,
                   lambda: f"it waits: {second}")
        self.assertEqual(second.out, "")
        first.popen.stdin.close()
        self.assertStatus(first, 0)
        wait_until(lambda: "ready" in second.out or not second.runs(), 60, lambda: f"it is let in: {second}")
        second.popen.stdin.close()
        self.assertStatus(second, 0)

    WAITING = ("--accelerator", "software", "--memory", "128M", "--admission", "wait")

    def read_totals(self, daemon, scheduler):
        """What a guest's own scheduler shows of a program that computes."""
        program = self.with_libraries(daemon, [workload("throttle"), "--seconds", "60"])
        shows = self.with_libraries(daemon, [scheduler, "--show"])
        wait_until(lambda: any(line.startswith("throttle ") and "100.0 %" in line for line in shows.out.splitlines())
                   or not shows.runs(), 30, lambda: f"it shows the program: {shows}")
        shows.send(signal.SIGTERM)
        self.assertStatus(shows, 0)
        program.kill()

    def refusal(self, daemon):
        program = self.with_libraries(daemon, python("client_idle.py"))
        self.assertNotEqual(program.ended(60), 0, str(program))
        sentence, = [line for line in program.err.splitlines() if line.startswith("pegasus: ")]
        return sentence


class PreviousLibraries(TwoReleases):
    @classmethod
    def setUpClass(cls):
        cls.libraries = previous_release.build("cuda", "cudart", "nested-scheduler")

    def test_programs_compute(self):
        self.compute(self.start_daemon(), version=previous_release.release()["version"])

    def test_a_program_waits_for_admission(self):
        self.wait_for_admission(self.start_daemon(options=self.WAITING))

    def test_a_refusal_reaches_the_user(self):
        daemon = self.start_daemon(options=("--accelerator", "software", "--memory", "64M", "--admission", "refuse"))
        daemon.ask("set", "--create", "mine", "slo=0.7")
        daemon.ask("set", "--create", "other", "slo=0.7")
        guest = RawGuest(daemon, connect_request(domain=b"other"))
        self.addCleanup(guest.close)
        self.assertEqual((guest.error, guest.message), (0, ""))
        sentence = self.refusal(daemon)
        self.assertIn("the accelerator daemon refused this program: domain mine ", sentence)
        self.assertIn("0.700 of an accelerator's time", sentence)

    def test_totals_are_read(self):
        self.read_totals(self.start_daemon(), self.libraries / "bin" / "nested-scheduler")


class PreviousDaemon(TwoReleases):
    @classmethod
    def setUpClass(cls):
        cls.previous = previous_release.build("pegasusd", "pegasus-avcpu", "pegasusctl")

    def start_previous(self, **settings):
        daemon = Daemon(self.previous, self.environment, self.directory / "previous", **settings)
        self.addCleanup(daemon.close)
        return daemon

    def test_programs_compute(self):
        self.compute(self.start_previous(), version=previous_release.release()["version"])

    def test_a_program_waits_for_admission(self):
        self.wait_for_admission(self.start_previous(options=self.WAITING))

    def test_totals_are_read(self):
        self.read_totals(self.start_previous(), BUILD / "bin" / "nested-scheduler")


class NoSuchVersion(TwoReleases):
    def test_a_guest_of_the_future_that_knows_no_version_of_today(self):
        daemon = self.start_daemon()
        guest = RawGuest(daemon, connect_request(version=9, oldest=7))
        self.addCleanup(guest.close)
        self.assertEqual((guest.error, guest.version), (errno.EPROTONOSUPPORT, NEWEST))
        self.assertEqual(guest.message, "this program's guest libraries speak protocol versions 7 to 9, pegasusd speaks "
                                        f"versions {OLDEST} to {NEWEST}: upgrade pegasusd")
        self.assertIsNone(guest.memory)
        self.assertTrue(guest.hung_up())

    def test_a_guest_of_the_future_that_knows_a_version_of_today(self):
        daemon = self.start_daemon()
        packet = connect_request(version=9, oldest=NEWEST, features=0xFFFFFFFF) + b"what came with version 9"
        guest = RawGuest(daemon, packet)
        self.addCleanup(guest.close)
        self.assertEqual((guest.error, guest.version, guest.fields[7]), (0, NEWEST, HOST_WINDOW_FEATURE))
        self.assertEqual(self.versions(daemon), [NEWEST])
        self.assertTrue(guest.works())

    def test_a_pegasusd_of_the_future(self):
        """It refuses in one sentence; one that ignores what the guest speaks is refused by the guest."""
        said = b"this program's guest libraries speak protocol versions 1 to 2, pegasusd speaks versions 7 to 9: upgrade the guest libraries"
        for error, message, sentence in (
                (errno.EPROTONOSUPPORT, said, "pegasus: the accelerator daemon refused this program: " + said.decode()),
                (0, b"", "pegasus: the accelerator daemon answers in protocol version 9, this library speaks versions "
                         f"{OLDEST} to {NEWEST}: upgrade the guest libraries")):
            with self.subTest(error):
                packet = CONNECT_REPLY.pack(CONNECT_REPLY_MAGIC, 9, error, 0, 0, 0, 0, 0, message)
                self.assertEqual(self.refusal(Answering(self, packet.ljust(CONNECT_REPLY_BYTES + 64, b"\0"))), sentence)


class Answering:
    """Listens like a pegasusd and gives every guest the same reply."""

    def __init__(self, test, reply):
        self.directory = tempfile.mkdtemp(dir=test.directory)
        self.environment = test.environment
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(os.path.join(self.directory, "guest.sock"))
        self.listener.listen()
        test.addCleanup(self.listener.close)
        thread = threading.Thread(target=self.serve, args=(reply,))
        thread.start()
        test.addCleanup(thread.join)
        test.addCleanup(self.listener.shutdown, socket.SHUT_RDWR)  # before the two above

    def serve(self, reply):
        while True:
            try:
                guest, _ = self.listener.accept()
            except OSError:
                return
            with guest:
                if guest.recv(4096):
                    guest.send(reply)

    def environment_of_guest(self, domain):
        return self.environment | {"PEGASUS_SOCKET": os.path.join(self.directory, "guest.sock"), "PEGASUS_DOMAIN": domain}


class History(unittest.TestCase):
    def test_a_clone_without_the_commit_is_told_how_to_get_it(self):
        with tempfile.TemporaryDirectory() as empty:
            subprocess.run(["git", "init", "-q", empty], check=True)
            commit = previous_release.release()["commit"]
            with self.assertRaisesRegex(AssertionError, f"{commit}, which {empty} does not have: run `git fetch --unshallow`"):
                previous_release.take_sources(empty, commit, Path(empty) / "tree" / "source")


if __name__ == "__main__":
    unittest.main()
