# SPDX-License-Identifier: Apache-2.0
"""Programs and modules with NVIDIA's static runtime, as nvcc builds them by default, use ours, or are told why not."""
import glob
import os
import subprocess
import sys
import unittest

from support import BUILD, EndToEndTest, python, workload

CUDA_ROOT = os.environ.get("CUDA_HOME", "/usr/local/cuda")
NVRTC = sorted(glob.glob(f"{CUDA_ROOT}/lib*/libnvrtc.so.*"))


class StaticRuntime(EndToEndTest):
    def stripped(self):
        """A program with NVIDIA's static runtime and without symbols."""
        program = self.directory / "stripped"
        subprocess.run(["strip", "-o", program, workload("vector_add_static")], check=True)
        return program

    def test_the_example(self):
        program = self.run_privately(BUILD / "bin" / "examples" / "saxpy")
        self.assertStatus(program, 0)
        self.assertEqual(program.out, "1048576 elements, largest error 0\n")

    def test_a_program(self):
        program = self.run_privately(workload("vector_add_static"))
        self.assertPassed(program)
        self.assertEqual(program.err, "")

    def test_a_child(self):
        program = self.run_privately("sh", "-c", '"$0"', workload("vector_add_static"))
        self.assertPassed(program)

    def test_a_program_that_the_dynamic_linker_is_told_to_start(self):
        program = self.run_privately("/lib64/ld-linux-x86-64.so.2", workload("vector_add_static"))
        self.assertPassed(program)
        self.assertEqual(program.err, "")

    def test_without_proc(self):
        hidden = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /proc && exec "$0" "$@"']
        if subprocess.run([*hidden, "true"], capture_output=True).returncode != 0:
            self.skipTest("this user may not cover /proc")
        program = self.guest(self.start_daemon(), [*hidden, workload("vector_add_static")])
        self.assertPassed(program)
        self.assertEqual(program.err, "")

    def test_a_module(self):
        program = self.run_privately(*python("client_module.py", BUILD / "bin" / "modules" / "vector_add_module"))
        self.assertPassed(program)
        self.assertEqual(program.err, "")

    def test_without_symbols(self):
        program = self.run_privately(self.stripped())
        self.assertStatus(program, 125)
        self.assertEqual(program.out, "")
        self.assertOneSentence(program, "stripped", "its symbols are stripped", "-cudart shared")

    def test_without_symbols_of_a_child(self):
        program = self.run_privately("sh", "-c", '"$0"; true', self.stripped())
        self.assertIn("stripped embeds NVIDIA's CUDA runtime", program.err)
        self.assertIn("-cudart shared", program.err)

    def test_nvidias_library_for_monitoring_is_accepted(self):
        source = self.directory / "asks.c"
        source.write_text("int cuGetExportTable(const void **, const void *);\n"
                          "int ask(void) { return cuGetExportTable(0, 0) - 801; }\n")  # not supported
        for name, said in (("libnvidia-ml.so.1", False), ("libother.so.1", True)):
            library = self.directory / name
            subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
            program = self.run_privately(
                sys.executable, "-c", "import ctypes, sys; ctypes.CDLL('libcuda.so.1', ctypes.RTLD_GLOBAL)\n"
                "sys.exit(ctypes.CDLL(sys.argv[1]).ask())", library)
            self.assertStatus(program, 0)
            self.assertEqual("embeds NVIDIA's CUDA runtime" in program.err, said, program.err)

    @unittest.skipUnless(NVRTC, "NVRTC is not installed")
    def test_a_compiler_that_contains_it_is_accepted(self):
        program = self.run_privately(*python("client_compiles.py", NVRTC[0]))
        self.assertStatus(program, 0)
        self.assertEqual((program.out, program.err), ("PASS\n", ""))


if __name__ == "__main__":
    unittest.main()
