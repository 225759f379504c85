# SPDX-License-Identifier: Apache-2.0
"""A tenant that attacks the scheduling does not take the accelerator from an honest one (security: ci/attack)."""
import unittest

from attacks import ATTACKS, HONEST, ISOLATION, MEMORY, RUNAWAY_MS, WORKER, HostileWorker, Swarm, start_honest, watch
from support import EndToEndTest, workload
from waiting import wait_until

EXCLUSIVE = ("rr", "accc", "xc", "slaf", "augc", "cosched", "fair", "eevdf")
SHARED = ("lead", "dfq")  # under them domains have the software accelerator together


class Attacks(EndToEndTest):
    def kept(self, policy, attack, honest, seconds):
        """The part of its device time alone that an honest domain keeps, what it waited, and the attacker as operators
        see it."""
        worker = HostileWorker(self.directory / f"worker-{policy}-{attack}")
        daemon = self.start_daemon(name=f"{policy}-{attack}", policy=policy,
                                   options=["--runaway-ms", str(RUNAWAY_MS), *worker.options])
        daemon.ask("set", "--create", "newcomer", "memory=64M")  # kept free for it
        start_honest(daemon, honest, self.guest)
        alone = watch(daemon, [honest], 1)[honest]
        with Swarm(daemon, ATTACKS[attack], worker):
            beside = watch(daemon, [honest], seconds)[honest]
            attacker = daemon.domains()["attacker"]
            if ATTACKS[attack].misdeed:
                worker.take_over("")
                self.assertPassed(self.guest(daemon, [workload("vector_add"), "--elements", "1000"], domain="newcomer"))
        seen = daemon.domains()[honest]
        self.assertEqual(seen["conduct"]["killed_tasks"], 0)
        wait_until(lambda: daemon.domains()[honest]["calls"] > seen["calls"], 10, f"{honest} goes on")
        daemon.close()
        kept = beside.device / alone.device
        print(f"{policy}, {attack}: keeps {kept:.2f} ({beside.rate / alone.rate:.2f} of its calls), "
              f"longest stall {beside.longest_stall:.2f} s, attacker received {attacker['received_share']:.2f}, "
              f"{attacker['conduct']['killed_tasks']} tasks killed", flush=True)
        return kept, beside.longest_stall, attacker

    def test_kernels_without_end_take_less_than_the_share(self):
        for policy in EXCLUSIVE:
            with self.subTest(policy):
                kept, stall, attacker = self.kept(policy, "endless", "waiting", seconds=8)
                self.assertGreaterEqual(kept, 0.4)
                self.assertLess(stall, 3 * RUNAWAY_MS / 1000)
                self.assertGreater(attacker["conduct"]["killed_tasks"], 0)
                self.assertGreater(attacker["received_share"], 0.05)  # the truth is told

    def test_kernels_without_end_have_nobody_elses_task_killed(self):
        for policy in SHARED:
            with self.subTest(policy):
                worker = HostileWorker(self.directory / f"worker-{policy}")
                daemon = self.start_daemon(name=policy, policy=policy,
                                           options=["--runaway-ms", str(RUNAWAY_MS), *worker.options])
                for honest in HONEST:
                    start_honest(daemon, honest, self.guest)
                before = watch(daemon, [*HONEST], 1)
                with Swarm(daemon, ATTACKS["endless"], worker):
                    beside = watch(daemon, [*HONEST], 8)
                    self.assertGreater(daemon.domains()["attacker"]["conduct"]["killed_tasks"], 0)
                for honest in HONEST:
                    kept = beside[honest].device / before[honest].device
                    print(f"{policy}, {honest}: keeps {kept:.2f}, longest stall {beside[honest].longest_stall:.2f} s", flush=True)
                    self.assertEqual(daemon.domains()[honest]["conduct"]["killed_tasks"], 0)
                    self.assertEqual(len(daemon.tasks(honest)), 1)
                    self.assertGreaterEqual(kept, 0.25)
                daemon.close()

    def test_kernels_that_are_long_and_end_take_no_more_than_the_share(self):
        kept, _, attacker = self.kept("accc", "long", "waiting", seconds=10)
        self.assertGreaterEqual(kept, 0.4)
        self.assertEqual(attacker["conduct"]["killed_tasks"], 0)

    def test_dying_within_a_kernel_is_not_free(self):
        kept, _, attacker = self.kept("accc", "dying", "waiting", seconds=8)
        self.assertGreaterEqual(kept, 0.4)
        self.assertGreater(attacker["received_share"], 0.05)

    def test_memory_and_isolation(self):
        for attack in (*MEMORY, *ISOLATION):
            with self.subTest(attack):
                kept, stall, _ = self.kept("accc", attack, "waiting", seconds=3)
                # Programs that start and end take CPUs of this machine, which no scheduler of ours shares out.
                self.assertGreaterEqual(kept, 0.25)
                self.assertLess(stall, RUNAWAY_MS / 1000)

    def test_a_worker_in_its_guests_hands(self):
        for policy in ("accc", *SHARED):
            for misdeed in WORKER:
                with self.subTest(policy=policy, misdeed=misdeed):
                    kept, stall, _ = self.kept(policy, misdeed, "waiting", seconds=3)
                    # They take CPUs of this machine, too.
                    self.assertGreaterEqual(kept, 0.25)
                    self.assertLess(stall, 3 * RUNAWAY_MS / 1000)

    def test_copies_are_charged_like_kernels(self):
        # What the programs themselves copy into their call buffers, with the gate open, counts half.
        kept, _, attacker = self.kept("accc", "copies", "greedy", seconds=6)
        self.assertGreaterEqual(kept, 0.35)
        self.assertGreater(attacker["host_busy_ns"], 10**9)


if __name__ == "__main__":
    unittest.main()
