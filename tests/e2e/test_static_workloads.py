# SPDX-License-Identifier: Apache-2.0
"""Every workload as nvcc links by default, with NVIDIA's static runtime: `pegasus run` makes it use ours."""
import subprocess
import unittest

from support import BUILD
from workloads import FAULTS, PROGRAMS, REFUSED, VARIANTS, WorkloadTest, add_tests

STATIC = BUILD / "bin" / "static"
OTHERWISE_LINKED = ("driver_api", "vector_add_static")  # without a runtime; with the static one in any case
RUN = tuple(name for name in (*PROGRAMS, *VARIANTS, *FAULTS) if name not in OTHERWISE_LINKED)


class StaticWorkloads(WorkloadTest):
    def test_none_is_forgotten(self):
        self.assertBuilt(STATIC, {*RUN, *REFUSED})

    def test_the_runtime_is_nvidias_static_one(self):
        for name in (*RUN, *REFUSED):
            with self.subTest(name):
                needed = subprocess.run(["readelf", "-d", STATIC / name], capture_output=True, check=True).stdout
                self.assertNotIn(b"libcudart", needed)
                contents = (STATIC / name).read_bytes()
                self.assertIn(b"libcudart_static_", contents)
                self.assertNotIn(b"PEGASUS_CUDART_STATIC", contents)


add_tests(StaticWorkloads, STATIC, RUN)

if __name__ == "__main__":
    unittest.main()
