# SPDX-License-Identifier: Apache-2.0
"""kill -9 of programs, workers and the daemon at random moments under load of four other programs."""
import os
import signal
import unittest

import processes
from load import Load
from support import EndToEndTest, workload
from waiting import wait_until

KILLS = int(os.environ.get("PEGASUS_KILLS", "10"))  # in each of the tests that kill again and again; ci/soak sets more
# Four neighbours of different habits: short and long kernels, many small calls, large copies and pinned memory.
NEIGHBOURS = {"n1": [workload("throttle"), "--seconds", "1"],
              "n2": [workload("throttle"), "--seconds", "1", "--microseconds", "5000"],
              "n3": [workload("null_calls"), "--calls", "5000"],
              "n4": [workload("streams_overlap")]}
VICTIMS = ([workload("throttle"), "--seconds", "60", "--microseconds", "300"],
           [workload("throttle"), "--seconds", "60", "--microseconds", "20000", "--sync-every", "1"],
           [workload("null_calls"), "--calls", "100000000", "--launch-every", "3"],
           [workload("vector_add"), "--elements", "1048576", "--repeats", "1000000"])


class Kills(EndToEndTest):
    def setUp(self):
        super().setUp()
        self.daemon = self.start_daemon()
        self.random = self.seeded_random()

    def start_victim(self):
        return self.guest(self.daemon, self.random.choice(VICTIMS), domain="victim")

    def test_programs(self):
        with Load(self.daemon, NEIGHBOURS) as load:
            for kill in range(KILLS):
                victim = self.start_victim()
                if kill % 3 == 0:  # while it starts
                    victim.runs_for(self.random.uniform(0, 0.1))
                else:
                    self.daemon.wait_for_task("victim", calls=self.random.randrange(1, 150))
                    victim.runs_for(self.random.uniform(0, 0.1))
                victim.kill()
                if "victim" in self.daemon.domains():
                    self.daemon.wait_until_gone("victim")
                victim.close()
                load.check()
        self.daemon.wait_until_clean()

    def test_workers(self):
        with Load(self.daemon, NEIGHBOURS) as load:
            for kill in range(KILLS):
                victim = self.start_victim()
                task = self.daemon.wait_for_task("victim", calls=1 if kill % 3 == 0 else self.random.randrange(1, 150))
                victim.runs_for(self.random.uniform(0, 0.1))
                os.kill(task["worker_pid"], signal.SIGKILL)
                # A CUDA error and an end, not a hang; and the program is told what happened.
                self.assertGreater(victim.ended(within=2), 0, str(victim))
                self.assertIn("worker died", victim.err)
                self.assertIn("FAIL", victim.out)
                victim.close()
                self.daemon.wait_until_gone("victim")
                load.check()
        self.daemon.wait_until_clean()

    def test_programs_that_come_and_go_at_once(self):
        with Load(self.daemon, NEIGHBOURS):
            for _ in range(KILLS):
                together = [self.guest(self.daemon, [workload("vector_add"), "--elements", "1000"], domain=f"v{i}")
                            for i in range(4)]
                for program in self.random.sample(together, 4):
                    program.close()
        self.daemon.wait_until_clean()

    def run_all(self):
        programs = [self.guest(self.daemon, victim, domain=f"d{number}") for number, victim in enumerate(VICTIMS)]
        for number in range(len(programs)):
            self.daemon.wait_for_task(f"d{number}", calls=20)
        return programs, self.daemon.workers()

    def all_fail_within_a_second(self, programs, workers, *words):
        for program in programs:
            self.assertGreater(program.ended(within=1), 0, str(program))
        for program in programs:
            self.assertIn("FAIL", program.out)
            for word in words:
                self.assertIn(word, program.err)
        wait_until(lambda: not any(processes.alive(worker) and processes.name_of(worker) == "pegasus-avcpu"
                                   for worker in workers), 2, "the workers end with their daemon")

    def test_the_daemon(self):
        programs, workers = self.run_all()
        self.assertEqual(len(workers), len(VICTIMS))
        self.daemon.kill()
        self.all_fail_within_a_second(programs, workers, "the accelerator daemon")
        # What it left does not keep the next one from the same place.
        again = self.start_daemon()
        self.assertPassed(self.guest(again, [workload("vector_add")]))

    def test_the_daemon_is_told_to_stop(self):
        programs, workers = self.run_all()
        self.assertEqual(self.daemon.terminate(), 0)
        self.all_fail_within_a_second(programs, workers, "the accelerator daemon")
        self.assertFalse(os.path.exists(self.daemon.directory))  # a private daemon takes it along

    def test_a_program_waiting_for_its_turn(self):
        """Killed, or its worker, while its gate is closed."""
        self.daemon.ask("policy", "rr")
        with Load(self.daemon, {"long": [workload("throttle"), "--seconds", "2", "--microseconds", "100000"]}):
            for kill_worker in (True, False, True, False):
                victim = self.guest(self.daemon, VICTIMS[0], domain="victim")
                self.daemon.wait_for_task("victim", calls=3)

                def waits():
                    return next((task for task in self.daemon.tasks("victim") if not task["gate_open"]), None)

                task = wait_until(waits, 20, "the victim's gate is closed")
                if kill_worker:
                    os.kill(task["worker_pid"], signal.SIGKILL)
                    self.assertGreater(victim.ended(within=2), 0, str(victim))
                else:
                    victim.kill()
                self.daemon.wait_until_gone("victim")
        self.daemon.wait_until_clean()


if __name__ == "__main__":
    unittest.main()
