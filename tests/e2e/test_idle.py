# SPDX-License-Identifier: Apache-2.0
"""Who has nothing to do costs nothing; and where processes are more than cores, waiting does not burn cores."""
import contextlib
import os
import resource
import subprocess
import time
import unittest

import processes
from support import EndToEndTest, python, workload
from waiting import wait_until

IDLE_SECONDS = 2
IDLE_SHARE = 0.01  # of one core, all processes together


@contextlib.contextmanager
def on_cores(count):
    """What is started inside runs on `count` cores."""
    before = os.sched_getaffinity(0)
    if len(before) < count:
        raise AssertionError(f"this test needs {count} cores, this process may use {len(before)}")
    os.sched_setaffinity(0, sorted(before)[:count])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


class Idle(EndToEndTest):
    def idle_clients(self, daemon, count):
        clients = [self.guest(daemon, python("client_idle.py"), domain=f"idle{i}", stdin=subprocess.PIPE)
                   for i in range(count)]
        for client in clients:
            wait_until(lambda c=client: "ready" in c.out or not c.runs(), 30, lambda c=client: f"ready: {c}")
        return clients

    def cost(self, pids):
        """CPU seconds of `pids` while nothing happens, and of how many."""
        before = {pid: processes.cpu_seconds(pid) for pid in pids}
        began = time.monotonic()
        # Nothing may end meanwhile: waiting for that is how the time passes.
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.watched.wait(timeout=IDLE_SECONDS)
            raise AssertionError("the daemon ended")
        elapsed = time.monotonic() - began
        used = {f"{processes.name_of(pid)} {pid}": processes.cpu_seconds(pid) - before[pid] for pid in pids}
        return sum(used.values()) / elapsed, used

    def test_idle_tasks_cost_nothing(self):
        for policy in ("none", "rr", "accc"):
            with self.subTest(policy):
                daemon = self.start_daemon(name=policy, policy=policy)
                self.watched = daemon.popen
                clients = self.idle_clients(daemon, 3)
                workers = daemon.workers()
                self.assertEqual(len(workers), 3)
                share, used = self.cost([daemon.pid, *workers, *(client.pid for client in clients)])
                print(f"\n{policy}: daemon, 3 workers and 3 clients idle: {100 * share:.3f} % of a core", flush=True)
                self.assertLess(share, IDLE_SHARE, used)
                for client in clients:  # and they were not dead, only asleep
                    client.say("again")
                    wait_until(lambda c=client: c.out.count("ready") == 2, 5, "an idle client computes again")
                    client.close()
                daemon.wait_until_clean()

    def test_a_daemon_without_tasks_costs_nothing(self):
        daemon = self.start_daemon()
        self.watched = daemon.popen
        share, used = self.cost([daemon.pid])
        self.assertLess(share, IDLE_SHARE, used)


class Oversubscribed(EndToEndTest):
    CALLS = 20000

    def measure(self, daemon, programs):
        """Wall seconds of the slowest, CPU seconds of all, and the programs, all verified."""
        def all_processes():
            own = resource.getrusage(resource.RUSAGE_CHILDREN)  # what has ended: the programs
            return (own.ru_utime + own.ru_stime + processes.cpu_seconds(daemon.pid)
                    + sum(workers_cpu.values()))
        workers_cpu = {}
        before = all_processes()
        began = time.monotonic()
        running = [self.guest(daemon, [workload("null_calls"), "--calls", self.CALLS], domain=f"p{i}")
                   for i in range(programs)]

        def look():
            # A worker's time is known only while it lives: keep the last look at each.
            for worker in daemon.workers():
                with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                    workers_cpu[worker] = processes.cpu_seconds(worker)
            return not any(program.runs() for program in running)

        wait_until(look, 120, "the programs end")
        elapsed = time.monotonic() - began
        for program in running:
            self.assertPassed(program)
        return elapsed, all_processes() - before, running

    def test_four_programs_and_four_workers_on_two_cores(self):
        for policy in ("none", "accc"):
            with self.subTest(policy), on_cores(2):
                daemon = self.start_daemon(name=policy, policy=policy)
                alone, cpu_alone, _ = self.measure(daemon, 1)
                elapsed, cpu, running = self.measure(daemon, 4)
                rates = [self.CALLS / program.result()["seconds"] for program in running]
                print(f"\n{policy}: one program {alone:.2f} s, {1e6 * cpu_alone / self.CALLS:.1f} us of CPU a call; "
                      f"four {elapsed:.2f} s, {1e6 * cpu / (4 * self.CALLS):.1f} us of CPU a call; "
                      f"calls/s {[round(rate) for rate in rates]}", flush=True)
                # A program that spins while its answer needs the core would pay its whole time slice per call,
                # milliseconds; sleeping and being woken on both sides costs some tens of microseconds.
                self.assertLess(cpu / (4 * self.CALLS), 200e-6)
                self.assertLess(elapsed, 8 * 4 * max(alone, 0.25))
                self.assertGreater(min(rates), 1000)  # all progress: no call waits for a time slice to end

    def watch(self, pids, seconds):
        """CPU seconds by process over the next `seconds`, while this program runs."""
        before = {pid: processes.cpu_seconds(pid) for pid in pids}
        began = time.monotonic()
        self.running[0].runs_for(seconds)
        elapsed = time.monotonic() - began
        return {pid: (processes.cpu_seconds(pid) - before[pid]) / elapsed for pid in pids}

    def start_throttles(self, daemon, count, microseconds, *options):
        self.running = [self.guest(daemon, [workload("throttle"), "--seconds", "8", "--microseconds", microseconds, *options],
                                   domain=f"p{i}") for i in range(count)]
        for program in self.running:
            wait_until(lambda p=program: "rounds a kernel" in p.out, 30, "throttle begins")

    def test_waiting_for_a_long_kernel_is_sleeping(self):
        daemon = self.start_daemon()
        self.start_throttles(daemon, 1, 20000)
        share = self.watch([self.running[0].pid], 1)[self.running[0].pid]
        print(f"\na client that waits for kernels of 20 ms: {100 * share:.2f} % of a core", flush=True)
        self.assertLess(share, 0.05)

    def test_under_credit_poll_waiting_is_polling(self):
        """And it is sleeping again under the next policy, without a new start. One that polls has a core, less what others on this
        machine take of it."""
        daemon = self.start_daemon(policy="credit-poll")
        self.start_throttles(daemon, 1, 20000, "--sync-every", "1")
        client = self.running[0].pid
        self.assertGreater(self.watch([client], 1)[client], 0.25)
        daemon.ask("policy", "accc")
        self.running[0].runs_for(0.2)
        self.assertLess(self.watch([client], 1)[client], 0.05)
        daemon.ask("policy", "strict-co")
        self.running[0].runs_for(0.2)
        self.assertGreater(self.watch([client], 1)[client], 0.25)
        self.assertPassed(self.running[0])

    def test_waiting_for_the_engine_is_sleeping(self):
        """Four tasks share one serial engine: together they use about the one core that executes."""
        for policy in ("none", "accc"):
            with self.subTest(policy):
                daemon = self.start_daemon(name=policy, policy=policy)
                self.start_throttles(daemon, 4, 500)
                clients = [program.pid for program in self.running]
                shares = self.watch([daemon.pid, *clients, *daemon.workers()], 1)
                rest = sum(shares.values()) - sum(shares[worker] for worker in daemon.workers())
                print(f"\n{policy}: 4 clients and the daemon {100 * rest:.1f} %, with 4 workers "
                      f"{100 * sum(shares.values()):.1f} % of a core", flush=True)
                self.assertLess(rest, 0.25)
                self.assertLess(sum(shares.values()), 1.4)
                for program in self.running:
                    self.assertPassed(program)


if __name__ == "__main__":
    unittest.main()
