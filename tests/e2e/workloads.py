# SPDX-License-Identifier: Apache-2.0
"""All workloads (workloads/README.md) by kind, and what every test that runs each of them asks of one."""
from support import EndToEndTest

PROGRAMS = ("vector_add", "matrix_mul", "black_scholes", "fast_walsh", "reduction", "histogram", "scan", "stencil",
            "fp64_solver", "streams_overlap", "graphs", "grid_sync", "tensor_cores", "textures", "surfaces", "multithreaded",
            "throttle", "printf_malloc", "rdc_link", "driver_api", "null_calls", "coupled", "copies", "leftovers", "device_reset",
            "expandable", "pools", "unified_memory")
SHARES_MEMORY = "unified_memory"  # between host and kernels: not on every kind of accelerator
VARIANTS = {name: "vector_add" for name in ("vector_add_rpath", "vector_add_debug", "vector_add_static")}
FAULTS = ("illegal_address", "assert_fail", "memory_hog", "fork_child", "bad_launch")  # test_faults.py
NEWER = ("tensor_cores_80",)  # than the software accelerator is without an option: test_capability.py
REFUSED = ("vector_add_no_ptx", *NEWER)  # test_run.py
PROVOKES_MESSAGES = ("driver_api", *FAULTS)  # driver_api loads a wrong module on purpose


class WorkloadTest(EndToEndTest):
    def check(self, path):
        program = self.run_privately(path)
        self.assertPassed(program)
        result = program.result()
        self.assertEqual(result["workload"], VARIANTS.get(path.name, path.name))
        self.assertGreater(result["work"], 0)
        self.assertGreater(result["seconds"], 0)
        if path.name not in PROVOKES_MESSAGES:
            self.assertEqual(program.err, "")  # nothing to complain about

    def assertBuilt(self, directory, names):
        built = {path.name for path in directory.iterdir() if path.is_file() and path.stat().st_mode & 0o111}
        self.assertEqual(built, set(names))


def add_tests(case, directory, names):
    """One test of `case` for each program."""
    for name in names:
        setattr(case, f"test_{name}", lambda self, path=directory / name: self.check(path))
