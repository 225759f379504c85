# SPDX-License-Identifier: Apache-2.0
"""A worker that its guest has taken over does not take the accelerator from an honest tenant (security: ci/attack)."""
import unittest

from attacks import RUNAWAY_MS, WORKER, AttackTest


class TakenOver(AttackTest):
    def test_a_worker_in_its_guests_hands(self):
        for policy in ("accc", "lead", "dfq"):
            for misdeed in WORKER:
                with self.subTest(policy=policy, misdeed=misdeed):
                    stall, _ = self.keeps(0.25, policy, misdeed, "waiting", seconds=3)
                    self.assertLess(stall, 3 * RUNAWAY_MS / 1000)


if __name__ == "__main__":
    unittest.main()
