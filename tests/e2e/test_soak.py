# SPDX-License-Identifier: Apache-2.0
"""One daemon for long, under load: programs come, end, fail, sleep and are killed, policies and credits change. All
neighbours verify, and the daemon is in the end as large as it was after it had warmed up."""
import os
import signal
import subprocess
import time
import unittest

import processes
from load import Load
from support import EndToEndTest, python, workload
from test_kills import NEIGHBOURS, VICTIMS
from waiting import wait_until

SECONDS = float(os.environ.get("PEGASUS_SOAK_SECONDS", "10"))
POLICIES = ("none", "rr", "accc", "xc", "slaf", "augc", "cosched", "fair", "eevdf", "lead", "dfq", "credit-poll",
            "credit-hs", "strict-co", "pegasus-xc", "pegasus-augc", "pegasus-cosched", "timeslice-engaged",
            "timeslice-disengaged")
FAULTY = ([workload("illegal_address")], [workload("assert_fail")], [workload("bad_launch")],
          [workload("fork_child"), "--children", "2"], [workload("memory_hog"), "--at-most-mib", "64"])
WARM_ROUNDS = 40  # until then caches fill
MOST_GROWTH_KIB = 4 << 10


class Soak(EndToEndTest):
    def setUp(self):
        super().setUp()
        self.daemon = self.start_daemon()
        self.daemon.ask("set", "--create", "victim", "memory=64M")
        self.random = self.seeded_random()
        self.victims = []

    def start_victim(self, command, **how):
        self.victims.append(self.guest(self.daemon, command, domain="victim", **how))
        return self.victims[-1]

    def kill_a_program(self):
        victim = self.start_victim(self.random.choice(VICTIMS))
        if self.random.random() < 0.5:
            self.daemon.wait_for_task("victim", calls=self.random.randrange(1, 150))
        victim.runs_for(self.random.uniform(0, 0.2))
        victim.kill()

    def kill_a_worker(self):
        victim = self.start_victim(self.random.choice(VICTIMS))
        task = self.daemon.wait_for_task("victim", calls=self.random.randrange(1, 150))
        os.kill(task["worker_pid"], signal.SIGKILL)
        self.assertGreater(victim.ended(within=10), 0, str(victim))

    def run_a_faulty_program(self):
        self.assertPassed(self.start_victim(self.random.choice(FAULTY)))

    def sleep_and_wake(self):
        idle = self.start_victim(python("client_idle.py"), stdin=subprocess.PIPE)
        for count in (1, 2):
            wait_until(lambda c=count: idle.out.count("ready") == c or not idle.runs(), 30, lambda: f"ready: {idle}")
            idle.runs_for(self.random.uniform(0, 0.5))
            idle.say("again")
        idle.popen.stdin.close()
        self.assertStatus(idle, 0)

    def switch_policy(self):
        self.daemon.ask("policy", self.random.choice(POLICIES))

    def change_credits(self):
        self.daemon.ask("set", self.random.choice([*NEIGHBOURS, "victim"]), f"credits={self.random.randrange(1, 4096)}")

    def test_one_daemon(self):
        events = (self.kill_a_program, self.kill_a_worker, self.run_a_faulty_program, self.sleep_and_wake,
                  self.switch_policy, self.change_credits)
        end = time.monotonic() + SECONDS
        rounds, warm = 0, None
        with Load(self.daemon, NEIGHBOURS) as load:
            while time.monotonic() < end:
                rounds += 1
                event = self.random.choice(events)
                print(f"{rounds}: {event.__name__}", flush=True)
                event()
                self.daemon.wait_until_gone("victim", seconds=30)
                while self.victims:  # their files too: a soak has thousands
                    self.victims.pop().close()
                load.check()
                if rounds == WARM_ROUNDS:
                    warm = processes.resident_kib(self.daemon.pid)
        self.daemon.wait_until_clean()
        last = processes.resident_kib(self.daemon.pid)
        print(f"{rounds} rounds; neighbours' programs: {load.finished}; the daemon: {warm} KiB after {WARM_ROUNDS} "
              f"rounds, {last} KiB at the end", flush=True)
        if warm is not None:
            self.assertLess(last - warm, MOST_GROWTH_KIB)


if __name__ == "__main__":
    unittest.main()
