# SPDX-License-Identifier: Apache-2.0
"""Compute capability 8.0 of the software accelerator (pegasusd --compute-capability)."""
import sys
import unittest

from support import EndToEndTest, workload
from workloads import NEWER

ASKS = """
import ctypes
cuda, value, device = ctypes.CDLL("libcuda.so.1"), ctypes.c_int(), ctypes.c_int()
assert cuda.cuInit(0) == 0 and cuda.cuDeviceComputeCapability(ctypes.byref(value), ctypes.byref(device), 0) == 0
print(value.value, device.value)
for attribute in (75, 76, 39, 81, 97, 106, 111):
    assert cuda.cuDeviceGetAttribute(ctypes.byref(value), attribute, 0) == 0
    print(value.value)
"""


class ComputeCapability(EndToEndTest):
    def start_newer(self):
        return self.start_daemon(options=["--accelerator", "software", "--compute-capability", "8.0"])

    def test_programs_for_8_0_run(self):
        daemon = self.start_newer()
        for name in NEWER:
            with self.subTest(name):
                program = self.guest(daemon, [workload(name)])
                self.assertPassed(program)
                self.assertEqual(program.result()["workload"], name)

    def test_programs_for_7_5_run_too(self):
        daemon = self.start_newer()
        for name in ("tensor_cores", "grid_sync", "stencil"):
            with self.subTest(name):
                self.assertPassed(self.guest(daemon, [workload(name)]))

    def test_the_device_says_so(self):
        daemon = self.start_newer()
        asks = self.guest(daemon, [sys.executable, "-c", ASKS])
        self.assertStatus(asks, 0)
        self.assertEqual(asks.out.split(), ["8", "0", "8", "0", "2048", str(164 * 1024), str(163 * 1024), "32", "1024"])
        self.assertEqual(daemon.ask("accelerators")["accelerators"][0]["compute_capability"], "8.0")

    def test_without_the_option_a_message_names_it(self):
        for name in NEWER:
            with self.subTest(name):
                program = self.run_privately(workload(name))
                self.assertStatus(program, 1)
                self.assertOneSentence(program, "PTX for compute_80", "compute capability 7.5", "compute_75",
                                       "give pegasusd or `pegasus run` --compute-capability 8.0")

    def test_a_private_daemon_may_have_it(self):
        self.assertPassed(self.run_privately(workload("tensor_cores_80"), options=["--compute-capability", "8.0"]))

    def test_a_file_may_have_the_option(self):
        file = self.directory / "pegasusd.toml"
        file.write_text('compute-capability = "8.0"\n')
        daemon = self.start_daemon(options=["--accelerator", "software", "--config", str(file)])
        self.assertEqual(daemon.ask("accelerators")["accelerators"][0]["compute_capability"], "8.0")


if __name__ == "__main__":
    unittest.main()
