# SPDX-License-Identifier: Apache-2.0
"""Programs for CUDA 12 and 11 find a runtime of that release."""
import re
import subprocess
import unittest

from support import BUILD, HERE, EndToEndTest, nvcc, python


class EarlierReleases(EndToEndTest):
    def test_structs_and_parameters(self):
        image = self.directory / "kernel.fatbin"
        subprocess.run([nvcc(), "-arch=compute_75", "-fatbin", "-o", image, HERE / "earlier_release.cu"], check=True)
        for library in ("libcudart.so.12", "libcudart.so.11.0"):
            with self.subTest(library):
                program = self.run_privately(*python("client_earlier_release.py", library, image))
                self.assertStatus(program, 0)
                self.assertEqual(program.out, "PASS\n")
                self.assertEqual(program.err, "pegasus: cudaLaunchCooperativeKernelMultiDevice is not supported by this accelerator\n")

    def test_a_program(self):
        # What nvcc writes needs nothing that CUDA 12 did not have.
        program = self.directory / "saxpy"
        subprocess.run([nvcc(), "-arch=compute_75", "-cudart", "none", "-o", program, HERE.parents[1] / "workloads" / "saxpy.cu",
                        "-Xlinker", BUILD / "lib" / "libcudart.so.12"], check=True)
        needed = subprocess.run(["readelf", "-d", program], check=True, capture_output=True, text=True).stdout
        self.assertIn("[libcudart.so.12]", needed)
        run = self.run_privately(program)
        self.assertStatus(run, 0)
        self.assertEqual((run.out, run.err), ("1048576 elements, largest error 0\n", ""))

    def test_static_runtimes(self):
        # A program with functions of all the names that such a runtime has, of which none does anything.
        for library, version in (("libcudart.so.12", 12090), ("libcudart.so.11.0", 11080)):
            with self.subTest(library):
                symbols = subprocess.run(["nm", "-D", "--defined-only", "--without-symbol-versions", BUILD / "lib" / library],
                                         check=True, capture_output=True, text=True).stdout
                names = re.findall(r" T (\w+)$", symbols, re.MULTILINE)
                self.assertGreater(len(names), 390)
                source, program = self.directory / "runtime.c", self.directory / f"static_{version}"
                source.write_text("#include <stdio.h>\n"
                                  + "".join(f"__attribute__((aligned(32))) int {name}() {{ return 999; }}\n" for name in names)
                                  + "__attribute__((aligned(32))) int main() {\n"
                                  "int v = 0; int e = cudaRuntimeGetVersion(&v); printf(\"%d %d\\n\", e, v); }\n")
                subprocess.run(["cc", "-o", program, source], check=True)
                run = self.run_privately(program)
                self.assertStatus(run, 0)
                self.assertEqual((run.out, run.err), (f"0 {version}\n", ""))


if __name__ == "__main__":
    unittest.main()
