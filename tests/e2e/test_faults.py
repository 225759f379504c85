# SPDX-License-Identifier: Apache-2.0
"""Programs that do wrong: the documented CUDA error for them, the fault named, and nothing for their neighbours."""
import contextlib
import os
import signal
import subprocess
import unittest
from pathlib import Path

from load import Load
from stopped_thread import stopped
from support import EndToEndTest, python, workload
from waiting import wait_until

NEIGHBOURS = {"good1": [workload("throttle"), "--seconds", "1"], "good2": [workload("histogram")]}


class Faults(EndToEndTest):
    def setUp(self):
        super().setUp()
        self.daemon = self.start_daemon()

    def beside_neighbours(self, *command, times=3):
        programs = []
        with Load(self.daemon, NEIGHBOURS):
            for _ in range(times):
                programs.append(self.guest(self.daemon, command, domain="bad"))
                self.assertPassed(programs[-1])
        self.daemon.wait_until_clean()
        return programs

    def test_illegal_address(self):
        for program in self.beside_neighbours(workload("illegal_address")):
            self.assertIn("write_at", program.err)  # the kernel
            self.assertRegex(program.err, r"0x[0-9a-f]{8,}")  # and the address
            self.assertIn("cudaErrorIllegalAddress", program.out)

    def test_illegal_address_close_by(self):
        for offset in ("256", "4096", str(1 << 30), str(1 << 45)):
            program = self.guest(self.daemon, [workload("illegal_address"), "--offset-bytes", offset])
            self.assertPassed(program)

    def test_assert(self):
        for program in self.beside_neighbours(workload("assert_fail"), "--value", "37"):
            self.assertIn("check_value", program.err)
            self.assertRegex(program.err, r"block:? \[1,0,0\], thread:? \[5,0,0\]")
            self.assertIn("value != forbidden", program.err)

    def test_bad_launch(self):
        self.beside_neighbours(workload("bad_launch"), "--rounds", "20", times=1)

    def test_fork(self):
        self.beside_neighbours(workload("fork_child"), "--children", "3", times=2)


class Runaway(EndToEndTest):
    def test_a_kernel_without_end_costs_its_own_task_alone(self):
        for policy in ("accc", "none"):
            with self.subTest(policy):
                daemon = self.start_daemon(name=policy, policy=policy, options=["--runaway", "500ms"])
                with Load(daemon, NEIGHBOURS) as load:
                    endless = self.guest(daemon, [workload("throttle"), "--rounds", 1 << 28, "--blocks", "4096"],
                                         domain="bad")
                    self.assertGreater(endless.ended(within=20), 0, str(endless))
                    self.assertIn("worker", endless.err)
                    self.assertIn("FAIL", endless.out)
                    load.check()
                self.assertIn("500ms", daemon.log)
                daemon.wait_until_clean()


class HostTime(EndToEndTest):
    """What the host computes for a program, besides kernels, is charged to its domain, and bounded."""

    def expensive(self, **daemon):
        daemon = self.start_daemon(**daemon)
        program = self.guest(daemon, python("client_expensive.py"), domain="bad")
        wait_until(lambda: "loaded" in program.out, 30, lambda: f"it makes its kernel's code: {program}")
        return daemon, program

    def test_it_is_charged_while_it_passes_and_kept_when_the_program_dies(self):
        daemon, program = self.expensive()
        spent = lambda: daemon.domains()["bad"]["host_busy_ns"]
        wait_until(lambda: spent() > 200e6, 30, lambda: f"a fifth of a second is charged: {program}")
        self.assertNotIn("PASS", program.out)
        program.kill()
        daemon.wait_until_clean()
        self.assertGreater(spent(), 200e6)

    def test_a_function_may_not_take_forever(self):
        daemon, program = self.expensive(options=["--module-load", "200ms"])
        self.assertNotEqual(program.ended(within=30), 0)
        self.assertIn("takes more than 200 ms to load", daemon.log)
        self.assertNotIn("a kernel runs for more", daemon.log)
        daemon.wait_until_clean()


class HostMemory(EndToEndTest):
    """What the workers of a domain take of the host is bounded for all of them together."""

    def test_modules_without_end(self):
        daemon = self.start_daemon()
        if "host memory" in daemon.ask("version")["pegasusd"]["workers_lack"]:
            self.skipTest("no control group of this machine's is ours to divide")
        daemon.ask("set", "--create", "bad", "host-memory=64M", "memory=64M")
        self.assertEqual(daemon.domains()["bad"]["host_memory_limit_bytes"], 64 << 20)
        with Load(daemon, NEIGHBOURS):
            first = self.guest(daemon, python("client_hold.py"), domain="bad")
            wait_until(lambda: "holds" in first.out, 30, lambda: f"it has its memory: {first}\n{daemon.log}")
            endless = self.guest(daemon, python("client_modules.py"), domain="bad")
            self.assertGreater(endless.ended(within=60), 0, str(endless))
            first.close()
        self.assertIn("domain bad: its workers have used up their host memory", daemon.log)
        daemon.wait_until_clean()
        self.assertLess(daemon.domains()["bad"]["host_memory_bytes"], 64 << 20)
        self.assertPassed(self.guest(daemon, [workload("vector_add")], domain="bad"))


@contextlib.contextmanager
def frozen(process):
    """Version 1's freezer keeps a process from ending, as a driver's call does that does not return."""
    group = Path(f"/sys/fs/cgroup/freezer/pegasus-test-{os.getpid()}")
    group.mkdir()
    try:
        (group / "cgroup.procs").write_text(str(process))
        (group / "freezer.state").write_text("FROZEN")
        wait_until(lambda: (group / "freezer.state").read_text() == "FROZEN\n", 10, "it is frozen")
        yield
    finally:
        (group / "freezer.state").write_text("THAWED")
        wait_until(lambda: not (group / "cgroup.procs").read_text(), 10, "it ends when it may")
        group.rmdir()


@unittest.skipUnless(os.access("/sys/fs/cgroup/freezer/cgroup.procs", os.W_OK), "no freezer of version 1 that is ours")
class AWorkerThatDoesNotEnd(EndToEndTest):
    def setUp(self):
        super().setUp()
        self.daemon = self.start_daemon(options=["--runaway", "500ms"])
        self.program = self.guest(self.daemon, [workload("throttle"), "--seconds", "60"], domain="bad")
        self.worker = self.daemon.wait_for_task("bad", calls=10)["worker_pid"]

    def test_no_other_waits_for_it(self):
        with frozen(self.worker):
            self.program.kill()
            self.assertPassed(self.guest(self.daemon, [workload("vector_add")], domain="good"), within=30)
            wait_until(lambda: "has not exited: giving it up" in self.daemon.log, 10, "it is logged")
            self.assertEqual([task["worker_pid"] for task in self.daemon.tasks("bad")], [self.worker])
            self.assertPassed(self.guest(self.daemon, [workload("vector_add")], domain="good"))
        self.daemon.wait_until_clean()

    def test_the_daemon_stops_without_it(self):
        with frozen(self.worker):
            self.assertEqual(self.daemon.terminate(), 0)
            self.assertIn("has not exited: leaving it behind", self.daemon.log)
        self.assertGreater(self.program.ended(), 0)


class AStoppedDaemon(EndToEndTest):
    def test_no_task_keeps_the_accelerator_meanwhile(self):
        """An open gate is leased: no task computes on for long when the scheduler stops, and nothing is lost."""
        daemon = self.start_daemon()
        program = self.guest(daemon, python("client_beats.py"), domain="beats")
        wait_until(lambda: program.out.count("\n") > 5, 10, "it computes")
        os.kill(daemon.pid, signal.SIGSTOP)
        try:
            wait_until(lambda: not self.grows(program), 20, "it stops when the lease on its gate has run out")
        finally:
            os.kill(daemon.pid, signal.SIGCONT)
        beats = program.out.count("\n")
        wait_until(lambda: program.out.count("\n") > beats + 5, 10, "it goes on")
        self.assertTrue(program.runs())

    def test_scheduling_waits_for_nothing_else(self):
        """What pegasusd does besides, xenstore, say, or the start of a process, may take its time: time slices go on."""
        daemon = self.start_daemon(policy="rr")
        programs = [self.guest(daemon, python("client_beats.py"), domain=name) for name in ("one", "other")]
        for program in programs:
            wait_until(lambda: program.out.count("\n") > 5, 10, "it computes")
        with stopped(daemon.pid):  # the thread that does all but scheduling
            for program in programs:
                program.runs_for(2.5)  # longer than a lease
            for program in programs:
                wait_until(lambda: self.grows(program), 10, "it has its time slices")
        daemon.ask("domains")
        self.assertTrue(all(program.runs() for program in programs))

    @staticmethod
    def grows(program):
        before = len(program.out)
        program.runs_for(1)
        return len(program.out) > before


class MemoryLimit(EndToEndTest):
    LIMIT_MIB = 64

    def setUp(self):
        super().setUp()
        self.daemon = self.start_daemon()
        self.daemon.ask("set", "--create", "small", f"memory={self.LIMIT_MIB}M")

    def holder(self, domain):
        """A task that has taken all the memory it could get, and how many MiB that is."""
        program = self.guest(self.daemon, python("client_hold.py"), domain=domain, stdin=subprocess.PIPE)
        wait_until(lambda: "holds" in program.out or not program.runs(), 30, lambda: f"memory is taken: {program}")
        self.assertTrue(program.runs(), str(program))
        return program, int(program.out.split()[1])

    def test_one_task(self):
        program = self.guest(self.daemon, [workload("memory_hog"), "--at-most-mib", self.LIMIT_MIB,
                                           "--at-least-mib", self.LIMIT_MIB - 4], domain="small")
        self.assertPassed(program)
        self.assertIn(f"free of {self.LIMIT_MIB} MiB", program.out)  # cudaMemGetInfo tells the domain's, not all
        self.assertEqual(program.err.count(f"of its domain's limit of {self.LIMIT_MIB}.0 MiB left; pegasusctl set DOMAIN memory="), 1, program)
        self.daemon.wait_until_clean()

    def test_all_tasks_of_a_domain_together(self):
        first, mebibytes = self.holder("small")
        self.assertLessEqual(mebibytes, self.LIMIT_MIB)
        self.assertGreaterEqual(mebibytes, self.LIMIT_MIB - 4)
        second, more = self.holder("small")
        self.assertLessEqual(mebibytes + more, self.LIMIT_MIB)
        self.assertLessEqual(self.daemon.domains()["small"]["memory_used_bytes"], self.LIMIT_MIB << 20)
        # Others are not touched by it: a domain without a limit gets what the limits leave.
        self.assertPassed(self.guest(self.daemon, [workload("memory_hog"), "--at-least-mib", "128"], domain="large"))
        # What one task gives back, another of the domain may have.
        for program in (first, second):
            program.say("end")
            self.assertStatus(program, 0)
        third, again = self.holder("small")
        self.assertGreaterEqual(again, mebibytes)
        third.kill()
        self.daemon.wait_until_clean()

    def test_a_limit_is_kept_free_of_those_without_one(self):
        greedy, _ = self.holder("greedy")
        self.assertPassed(self.guest(self.daemon, [workload("memory_hog"), "--at-most-mib", self.LIMIT_MIB,
                                                   "--at-least-mib", self.LIMIT_MIB - 4], domain="small"))
        self.assertTrue(greedy.runs())
        greedy.kill()
        self.daemon.wait_until_clean()

    def test_the_whole_accelerator(self):
        daemon = self.start_daemon(name="tiny", options=["--memory", "128M"])
        programs = [self.guest(daemon, python("client_hold.py"), domain=name, stdin=subprocess.PIPE)
                    for name in ("a", "b")]
        for program in programs:
            wait_until(lambda p=program: "holds" in p.out, 30, "memory is taken")
        self.assertLessEqual(sum(int(program.out.split()[1]) for program in programs), 128)
        self.assertLessEqual(daemon.memory_used(), 128 << 20)
        for program in programs:
            program.kill()
        daemon.wait_until_clean()

    def test_a_limit_set_below_what_is_used(self):
        program, mebibytes = self.holder("small")
        self.daemon.ask("set", "small", "memory=16M")
        refused = self.guest(self.daemon, python("client_hold.py"), domain="small", stdin=subprocess.DEVNULL)
        refused.ended(30)
        self.assertIn("holds 0", refused.out + refused.err.replace("CUDA error 2", "holds 0"), str(refused))
        self.assertTrue(program.runs())
        program.say("end")
        self.assertStatus(program, 0)
        self.assertGreater(mebibytes, 16)


if __name__ == "__main__":
    unittest.main()
