# SPDX-License-Identifier: Apache-2.0
"""Every workload through `pegasus run`, with no daemon running: it passes, exits 0, and says so truthfully."""
import unittest

from support import WORKLOADS, workload
from workloads import FAULTS, PROGRAMS, REFUSED, VARIANTS, WorkloadTest, add_tests


class Workloads(WorkloadTest):
    def test_none_is_forgotten(self):
        self.assertBuilt(WORKLOADS, {*PROGRAMS, *VARIANTS, *FAULTS, *REFUSED})

    def test_a_wrong_result_would_show(self):
        # The CPU says how many elements were computed: arguments must really reach the program.
        program = self.run_privately(workload("vector_add"), "--elements", "12345", "--repeats", "1")
        self.assertPassed(program)
        self.assertEqual(program.result()["work"], 12345)


add_tests(Workloads, WORKLOADS, (*PROGRAMS, *VARIANTS))

if __name__ == "__main__":
    unittest.main()
