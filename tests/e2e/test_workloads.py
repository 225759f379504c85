# SPDX-License-Identifier: Apache-2.0
"""Every workload through `pegasus run`, with no daemon running: it passes, exits 0, and says so truthfully."""
import unittest

from support import WORKLOADS, EndToEndTest, workload

PROGRAMS = ("vector_add", "matrix_mul", "black_scholes", "fast_walsh", "reduction", "histogram", "scan", "stencil",
            "fp64_solver", "streams_overlap", "graphs", "grid_sync", "multithreaded", "throttle", "printf_malloc",
            "rdc_link", "driver_api", "null_calls", "coupled", "copies", "leftovers", "device_reset", "expandable",
            "pools", "unified_memory")
SHARES_MEMORY = "unified_memory"  # between host and kernels: not on every kind of accelerator
VARIANTS = {name: "vector_add" for name in ("vector_add_rpath", "vector_add_debug", "vector_add_static")}
FAULTS = ("illegal_address", "assert_fail", "memory_hog", "fork_child", "bad_launch")  # test_faults.py
PROVOKES_MESSAGES = ("driver_api",)  # it loads a wrong module on purpose
REFUSED = ("vector_add_no_ptx",)  # test_run.py


class Workloads(EndToEndTest):
    def check(self, name):
        program = self.run_privately(workload(name))
        self.assertPassed(program)
        result = program.result()
        self.assertEqual(result["workload"], VARIANTS.get(name, name))
        self.assertGreater(result["work"], 0)
        self.assertGreater(result["seconds"], 0)
        if name not in PROVOKES_MESSAGES:
            self.assertEqual(program.err, "")  # nothing to complain about

    def test_none_is_forgotten(self):
        built = {path.name for path in WORKLOADS.iterdir() if path.is_file() and path.stat().st_mode & 0o111}
        self.assertEqual(built, {*PROGRAMS, *VARIANTS, *FAULTS, *REFUSED})

    def test_a_wrong_result_would_show(self):
        # The CPU says how many elements were computed: arguments must really reach the program.
        program = self.run_privately(workload("vector_add"), "--elements", "12345", "--repeats", "1")
        self.assertPassed(program)
        self.assertEqual(program.result()["work"], 12345)


def _add_test(name):
    setattr(Workloads, f"test_{name}", lambda self: self.check(name))


for _name in (*PROGRAMS, *VARIANTS):
    _add_test(_name)

if __name__ == "__main__":
    unittest.main()
