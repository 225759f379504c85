# SPDX-License-Identifier: Apache-2.0
"""What nvcc and CMake build with common flags and without a word on the runtime, so with NVIDIA's static one."""
import shutil
import subprocess
import unittest

from support import HERE, EndToEndTest, nvcc

SOURCES = HERE.parent.parent / "workloads"
PRINTED = "1048576 elements, largest error 0\n"
FLAGS = {
    "position_independent": ("-Xcompiler", "-fPIE,-pie"),
    "at_a_fixed_address": ("-Xcompiler", "-fno-pie,-no-pie"),
    "control_flow_protection": ("-Xcompiler", "-fcf-protection=full", "-Xlinker", "-z", "-Xlinker", "ibtplt"),
    "bound_at_start": ("-Xlinker", "-z", "-Xlinker", "relro", "-Xlinker", "-z", "-Xlinker", "now"),
    "exported_symbols": ("-Xcompiler", "-rdynamic"),
}


class StaticBuilds(EndToEndTest):
    def built(self, *flags):
        program = self.directory / "saxpy"
        subprocess.run([nvcc(), *flags, "-o", program, SOURCES / "saxpy.cu"], env=self.environment, check=True)
        return program

    def cmake(self, *words):
        return subprocess.run(["cmake", *words], env=self.environment, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)

    @unittest.skipUnless(shutil.which("cmake"), "cmake is not installed")
    def test_cmake(self):
        build = self.directory / "cmake"
        configured = self.cmake("-S", HERE / "cmake_cuda", "-B", build, "-G", "Ninja", f"-DWORKLOADS={SOURCES}",
                                f"-DCMAKE_CUDA_COMPILER={nvcc()}")
        if configured.returncode != 0:  # nothing of Pegasus takes part in that
            self.skipTest(f"CMake cannot use this CUDA compiler: {configured.stdout[-1000:]}")
        made = self.cmake("--build", build)
        self.assertEqual(made.returncode, 0, made.stdout)
        plain = self.run_privately(build / "plain")
        self.assertStatus(plain, 0)
        self.assertEqual((plain.out, plain.err), (PRINTED, ""))
        separable = self.run_privately(build / "separable")
        self.assertPassed(separable)
        self.assertEqual(separable.err, "")

    def check(self, flags):
        program = self.run_privately(self.built(*flags))
        self.assertStatus(program, 0)
        self.assertEqual((program.out, program.err), (PRINTED, ""))


for _name, _flags in FLAGS.items():
    setattr(StaticBuilds, f"test_{_name}", lambda self, flags=_flags: self.check(flags))

if __name__ == "__main__":
    unittest.main()
