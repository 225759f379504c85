# SPDX-License-Identifier: Apache-2.0
"""pegasusctl describe: workers count what their tasks hold, and the tasks go on."""
import os
import signal
import subprocess
import unittest

from load import Load
from support import BUILD, EndToEndTest, python, workload
from waiting import wait_until

RUNAWAY_MS = 1000
LONG_KERNEL = [workload("throttle"), "--rounds", str(1 << 28), "--blocks", "1", "--threads", "1024"]  # some 50 s


class Describe(EndToEndTest):
    def setUp(self):
        super().setUp()
        self.daemon = self.start_daemon(options=["--runaway", f"{RUNAWAY_MS}ms"])

    def holder(self, streams, events, domain="holder"):
        program = self.guest(self.daemon, python("client_objects.py", streams, events), domain=domain,
                             stdin=subprocess.PIPE)
        wait_until(lambda: "ready" in program.out or not program.runs(), 30, lambda: f"ready: {program}")
        return program

    def long_kernel(self):
        """A program whose kernel is on the device: pegasusctl says so."""
        program = self.guest(self.daemon, LONG_KERNEL, domain="long")
        self.daemon.wait_for_task("long")
        wait_until(lambda: "busy with a kernel or a call on the host" in self.described("long")[0].get("error", ""), 30,
                   lambda: f"its kernel runs: {program}")
        return program

    def described(self, domain):
        return self.daemon.ask("describe", domain)["tasks"]

    def test_what_a_task_holds_is_counted_and_it_goes_on(self):
        holder = self.holder(3, 2)
        task, = self.daemon.tasks("holder")
        for _ in range(3):
            seen, = self.described("holder")
            self.assertEqual({key: seen[key] for key in ("task", "program", "modules", "functions", "streams", "events", "graphs")},
                             {"task": task["id"], "program": task["program"], "modules": 1, "functions": 1, "streams": 3,
                              "events": 2, "graphs": 0})
            self.assertEqual(seen["memory_bytes"], task["memory_bytes"])
        table = self.daemon.ctl("describe", "holder").stdout
        self.assertRegex(table, r"TASK +PID +PROGRAM +MEMORY MiB +MODULES")
        self.assertRegex(table, rf"(?m)^ *{task['id']} .* 1 +1 +3 +2 +0$")
        holder.say("go on")
        self.assertEqual(holder.ended(within=30), 0, str(holder))
        self.assertIn("PASS", holder.out)

    def test_programs_that_compute_are_right_while_they_are_described_all_the_time(self):
        for policy in ("accc", "dfq"):
            self.daemon.ask("policy", policy)
            answered = 0
            with Load(self.daemon, {"one": [workload("matrix_mul")], "two": [workload("reduction")]}) as load:
                wait_until(lambda: min(load.finished.values()) > 0, 60, "both domains have run a program")
                for _ in range(100):
                    for domain in ("one", "two"):
                        answered += sum("streams" in task for task in self.described(domain))
                load.check()
            self.assertGreater(answered, 20, policy)
            self.assertNotIn("has not answered", self.daemon.log)

    def test_a_task_that_waits_behind_anothers_kernel_is_described_at_once(self):
        self.daemon = self.start_daemon(name="patient", policy="none", options=["--runaway", "30s"])
        long = self.long_kernel()
        behind = self.guest(self.daemon, [workload("vector_add")], domain="behind")
        wait_until(lambda: self.daemon.tasks("behind"), 30, lambda: f"it has come: {behind}")
        behind.runs_for(1)  # it is in the line by now
        self.assertIn("streams", self.described("behind")[0])
        self.assertTrue(long.runs())
        long.kill()
        self.assertPassed(behind)

    def test_a_kernel_that_goes_on_is_said_and_nobody_is_ended_for_it(self):
        long = self.long_kernel()
        long.runs_for(2 * RUNAWAY_MS / 1000)
        self.assertEqual(self.daemon.domains()["long"]["conduct"]["killed_tasks"], 0)

    def test_a_worker_that_does_not_answer_is_ended_and_its_neighbour_is_not(self):
        holder, neighbour = self.holder(1, 1), self.holder(2, 2, domain="neighbour")
        worker = self.daemon.tasks("holder")[0]["worker_pid"]
        os.kill(worker, signal.SIGSTOP)
        self.assertRegex(self.described("holder")[0]["error"], "it has ended|is busy")
        wait_until(lambda: not self.daemon.tasks("holder"), 10, "its task is ended")
        self.assertRegex(self.daemon.log, r"its worker has not answered pegasusd for 1s; the task is ended")
        self.assertEqual(self.described("neighbour")[0]["streams"], 2)
        holder.say("go on")
        self.assertNotEqual(holder.ended(within=30), 0)
        neighbour.say("go on")
        self.assertEqual(neighbour.ended(within=30), 0, str(neighbour))

    def test_only_the_operator_may_ask_and_for_domains_that_there_are(self):
        refused = self.daemon.ctl("describe", "nobody")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("there is no domain", refused.stderr)
        self.holder(1, 1)
        shows = subprocess.run([BUILD / "bin" / "pegasusctl", "--daemon", os.path.join(self.daemon.directory, "status.sock"), "describe", "holder"],
                               capture_output=True, text=True)
        self.assertNotEqual(shows.returncode, 0)
        self.assertIn("status.sock only shows", shows.stderr)


if __name__ == "__main__":
    unittest.main()
