# SPDX-License-Identifier: Apache-2.0
"""Kernels that never end, under each policy: an honest tenant beside them keeps its part (security: ci/attack)."""
import unittest

from attacks import ATTACKS, HONEST, RUNAWAY_MS, AttackTest, HostileWorker, Swarm, start_honest, watch

EXCLUSIVE = ("rr", "accc", "xc", "slaf", "augc", "cosched", "fair", "eevdf", "eevdf:hold=auto")
SHARED = ("lead", "dfq")  # under them domains have the software accelerator together


class Endless(AttackTest):
    def test_kernels_without_end_take_less_than_the_share(self):
        for policy in EXCLUSIVE:
            with self.subTest(policy):
                stall, attacker = self.keeps(0.4, policy, "endless", "waiting", seconds=8)
                self.assertLess(stall, 3 * RUNAWAY_MS / 1000)
                self.assertGreater(attacker["conduct"]["killed_tasks"], 0)
                self.assertGreater(attacker["received_share"], 0.05)  # the truth is told

    def test_kernels_without_end_have_nobody_elses_task_killed(self):
        for policy in SHARED:
            with self.subTest(policy):
                worker = HostileWorker(self.directory / f"worker-{policy}")
                daemon = self.start_daemon(name=policy, policy=policy,
                                           options=["--runaway", f"{RUNAWAY_MS}ms", *worker.options])
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


if __name__ == "__main__":
    unittest.main()
