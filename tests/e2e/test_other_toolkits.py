# SPDX-License-Identifier: Apache-2.0
"""The workloads, built by other CUDA Toolkits than the one of this build: PEGASUS_OTHER_NVCC names their nvccs, separated
by colons (words behind a path are options: "/opt/cuda-12.4/bin/nvcc -ccbin g++-12")."""
import os
import shlex
import subprocess
import unittest

from support import HERE
from workloads import PROGRAMS, WorkloadTest

NVCCS = [shlex.split(command) for command in os.environ.get("PEGASUS_OTHER_NVCC", "").split(":") if command]
ELSEWHERE = {"null_calls": "faults/null_calls"}
MORE_SOURCES = {"rdc_link": ["rdc_link_part.cu"]}
OPTIONS = {"rdc_link": ["-rdc=true"], "unified_memory": ["-std=c++20"], "expandable": ["-lcuda"]}
# What CUDA 11 does not have: std=c++20, and functions that they call.
NOT_11 = ("unified_memory", "graphs", "pools", "expandable")


def release_of(nvcc):
    text = subprocess.run([*nvcc, "--version"], check=True, capture_output=True, text=True).stdout
    return int(text.split("release ")[1].split(".")[0])


@unittest.skipUnless(NVCCS, "PEGASUS_OTHER_NVCC names no other toolkits")
class OtherToolkits(WorkloadTest):
    def test_workloads(self):
        for nvcc in NVCCS:
            release = release_of(nvcc)
            for runtime in ("shared", "static"):
                for name in PROGRAMS:
                    if name == "driver_api" or (release == 11 and name in NOT_11):  # driver_api has no runtime
                        continue
                    with self.subTest(nvcc=nvcc[0], runtime=runtime, name=name):
                        program = self.directory / name
                        sources = [f"{ELSEWHERE.get(name, name)}.cu", *MORE_SOURCES.get(name, [])]
                        subprocess.run([*nvcc, "-std=c++17", "-arch=compute_75", "-cudart", runtime, "-I", HERE.parents[1],
                                        *OPTIONS.get(name, []), "-o", program, *(HERE.parents[1] / "workloads" / one for one in sources)],
                                       check=True, capture_output=True)
                        self.check(program)


if __name__ == "__main__":
    unittest.main()
