# SPDX-License-Identifier: Apache-2.0
"""A tenant that attacks does not take the accelerator from an honest one (security: ci/attack)."""
import unittest

from attacks import ISOLATION, MEMORY, RUNAWAY_MS, AttackTest


class Attacks(AttackTest):
    def test_kernels_that_are_long_and_end_take_no_more_than_the_share(self):
        kept, _, attacker = self.kept("accc", "long", "waiting", seconds=10)
        self.assertGreaterEqual(kept, 0.4)
        self.assertEqual(attacker["conduct"]["killed_tasks"], 0)

    def test_dying_within_a_kernel_is_not_free(self):
        kept, _, attacker = self.kept("accc", "dying", "waiting", seconds=8)
        # Half, less the CPUs that starting programs take, and a kernel of 0.4 s at the end that is not paid back yet.
        # It is less than 0.2 where the dead pay nothing.
        self.assertGreaterEqual(kept, 0.3)
        self.assertGreater(attacker["received_share"], 0.05)

    def test_memory_and_isolation(self):
        for attack in (*MEMORY, *ISOLATION):
            with self.subTest(attack):
                kept, stall, _ = self.kept("accc", attack, "waiting", seconds=3)
                # Programs that start and end take CPUs of this machine, which no scheduler of ours shares out.
                self.assertGreaterEqual(kept, 0.25)
                self.assertLess(stall, RUNAWAY_MS / 1000)

    def test_copies_are_charged_like_kernels(self):
        # What the programs themselves copy into their call buffers, with the gate open, counts half.
        kept, _, attacker = self.kept("accc", "copies", "greedy", seconds=6)
        self.assertGreaterEqual(kept, 0.35)
        self.assertGreater(attacker["host_busy_ns"], 10**8)  # a second or more, where it has a CPU for itself

    def test_copies_of_the_accelerator_are_charged_in_full(self):
        kept, _, attacker = self.kept("accc", "pinned", "greedy", seconds=4)
        self.assertGreaterEqual(kept, 0.35)
        self.assertLess(attacker["received_share"], 0.6)
        self.assertGreater(attacker["device_busy_ns"], 10**8)


if __name__ == "__main__":
    unittest.main()
