# SPDX-License-Identifier: Apache-2.0
"""A tenant that attacks does not take the accelerator from an honest one (security: ci/attack)."""
import unittest

from attacks import ISOLATION, MEMORY, RUNAWAY_MS, AttackTest


class Attacks(AttackTest):
    def test_kernels_that_are_long_and_end_take_no_more_than_the_share(self):
        _, attacker = self.keeps(0.4, "accc", "long", "waiting", seconds=10)
        self.assertEqual(attacker["conduct"]["killed_tasks"], 0)

    def test_dying_within_a_kernel_is_not_free(self):
        # Half, less the CPUs that starting programs take, and a kernel of 0.4 s at the end that is not paid back yet.
        # It is less than 0.2 where the dead pay nothing.
        _, attacker = self.keeps(0.3, "accc", "dying", "waiting", seconds=8)
        self.assertGreater(attacker["received_share"], 0.05)

    def test_memory_and_isolation(self):
        for attack in (*MEMORY, *ISOLATION):
            with self.subTest(attack):
                # Programs that start and end take CPUs, too.
                stall, _ = self.keeps(0.25, "accc", attack, "waiting", seconds=3)
                self.assertLess(stall, RUNAWAY_MS / 1000)

    def test_copies_are_charged_like_kernels(self):
        # What the programs themselves copy into their call buffers, with the gate open, counts half.
        _, attacker = self.keeps(0.35, "accc", "copies", "greedy", seconds=6)
        self.assertGreater(attacker["host_busy_ns"], 10**8)  # a second or more, where it has a CPU for itself

    def test_copies_of_the_accelerator_are_charged_in_full(self):
        _, attacker = self.keeps(0.35, "accc", "pinned", "greedy", seconds=4)
        self.assertLess(attacker["received_share"], 0.6)
        self.assertGreater(attacker["device_busy_ns"], 10**8)


if __name__ == "__main__":
    unittest.main()
