# SPDX-License-Identifier: Apache-2.0
"""pegasusctl freeze and thaw: a domain's memory leaves the accelerator and comes back, and its programs do not see it."""
import os
import signal
import subprocess
import unittest

from load import Load
from support import EndToEndTest, python, workload
from waiting import wait_until

MEBIBYTE = 1 << 20
DEVICE, HELD = 64, 40  # mebibytes


class Freeze(EndToEndTest):
    def setUp(self):
        super().setUp()
        self.daemon = self.start_daemon(options=["--memory", f"{DEVICE}M"])

    def holder(self, mebibytes=HELD, domain="holder"):
        program = self.guest(self.daemon, python("client_filled.py", mebibytes), domain=domain, stdin=subprocess.PIPE)
        wait_until(lambda: "ready" in program.out or not program.runs(), 30, lambda: f"ready: {program}")
        return program

    def frozen(self, domain="holder"):
        return self.daemon.domains()[domain]["frozen"]

    def assertGoesOn(self, program):
        program.say("go on")
        self.assertEnds(program)

    def assertEnds(self, program):
        self.assertEqual(program.ended(within=30), 0, str(program))
        self.assertIn("PASS", program.out)

    def test_what_a_frozen_domain_has_is_in_host_memory_until_it_is_thawed(self):
        holder = self.holder()
        before = self.daemon.memory_used()
        answer = self.daemon.ctl("freeze", "holder")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertRegex(answer.stdout, r"^domain holder: 40962K of accelerator memory went to host memory$")
        self.assertTrue(self.frozen())
        self.assertRegex(self.daemon.ctl("domains").stdout, r"(?m)^holder .* frozen$")
        self.assertLess(self.daemon.memory_used(), before - HELD * MEBIBYTE + MEBIBYTE)
        self.assertGoesOn(self.holder(domain="other"))  # in the same memory
        holder.say("go on")
        holder.runs_for(1)
        self.assertEqual(self.daemon.ctl("thaw", "holder").stdout, "")
        self.assertFalse(self.frozen())
        self.assertEnds(holder)

    def test_memory_that_others_took_is_theirs(self):
        holder = self.holder()
        self.daemon.ask("freeze", "holder")
        other = self.holder(domain="other")
        for _ in range(2):
            refused = self.daemon.ctl("thaw", "holder")
            self.assertEqual(refused.returncode, 4)
            self.assertIn("domain holder stays frozen: its accelerator has no room", refused.stderr)
            self.assertTrue(self.frozen())
        self.assertGoesOn(other)
        self.daemon.wait_until_gone("other")
        self.daemon.ask("thaw", "holder")
        self.assertGoesOn(holder)

    def test_programs_that_compute_are_right_however_often_they_are_frozen(self):
        for policy in ("accc", "none", "eevdf"):
            self.daemon.ask("policy", policy)
            moved = 0
            with Load(self.daemon, {"one": [workload("matrix_mul")], "two": [workload("reduction")]}) as load:
                wait_until(lambda: min(load.finished.values()) > 0, 60, "both domains have run a program")
                for _ in range(40):
                    for domain in ("one", "two"):
                        moved += "went to host memory" in self.daemon.ask("freeze", domain)["notice"]
                        self.daemon.ask("thaw", domain)
                load.check()
            self.assertGreater(moved, 20, policy)

    def test_a_program_that_comes_to_a_frozen_domain_waits_and_others_have_the_device(self):
        first = self.holder(1)
        self.daemon.ask("freeze", "holder")
        second = self.guest(self.daemon, [workload("vector_add")], domain="holder")
        self.assertPassed(self.guest(self.daemon, [workload("vector_add")], domain="other"))
        second.runs_for(1)
        self.daemon.ask("policy", "none")  # where all domains run
        second.runs_for(0.5)
        self.daemon.ask("thaw", "holder")
        self.assertPassed(second)
        self.assertGoesOn(first)

    def test_a_frozen_task_that_ends_leaves_nothing(self):
        holder = self.holder()
        self.daemon.ask("freeze", "holder")
        os.kill(self.daemon.tasks("holder")[0]["worker_pid"], signal.SIGKILL)
        wait_until(lambda: not self.daemon.tasks("holder"), 10, "its task is gone")
        holder.say("go on")
        self.assertNotEqual(holder.ended(within=30), 0)
        self.assertEqual(self.daemon.memory_used(), 0)
        self.daemon.ask("thaw", "holder")
        self.assertGoesOn(self.holder())

    def test_a_kernel_that_goes_on_is_said_and_its_memory_follows(self):
        daemon = self.start_daemon(name="patient", policy="none", options=["--runaway", "30s"])
        long = self.guest(daemon, [workload("throttle"), "--rounds", str(1 << 28), "--blocks", "1", "--threads", "1024"],
                          domain="long")
        daemon.wait_for_task("long")
        wait_until(lambda: "goes on" in daemon.ask("freeze", "long")["notice"], 30, lambda: f"its kernel runs: {long}")
        self.assertTrue(daemon.domains()["long"]["frozen"])
        self.assertIn("on the way", daemon.ask("thaw", "long")["notice"])

    def test_only_what_there_is_is_frozen_and_only_what_is_frozen_is_thawed(self):
        for verb in ("freeze", "thaw"):
            refused = self.daemon.ctl(verb, "nobody")
            self.assertEqual(refused.returncode, 2)
            self.assertIn("there is no domain", refused.stderr)
        self.daemon.ask("set", "--create", "idle", "credits=512")
        refused = self.daemon.ctl("thaw", "idle")
        self.assertEqual(refused.returncode, 4)
        self.assertIn("domain idle is not frozen", refused.stderr)
        self.daemon.ask("freeze", "idle")
        self.daemon.ask("freeze", "idle")
        self.assertTrue(self.frozen("idle"))
        self.daemon.ask("thaw", "idle")
        self.assertFalse(self.frozen("idle"))


if __name__ == "__main__":
    unittest.main()
