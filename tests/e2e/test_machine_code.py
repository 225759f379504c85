# SPDX-License-Identifier: Apache-2.0
"""Programs that ask NVRTC and nvJitLink for machine code get what their accelerator executes."""
import glob
import os
import subprocess
import unittest

from gpu import Gpu
from support import BUILD, HERE, EndToEndTest, nvcc, python
from test_static_runtime import CUDA_ROOT, NVRTC

NVJITLINK = sorted(glob.glob(f"{CUDA_ROOT}/lib*/libnvJitLink.so.*"))


def compiled(directory):
    """machine_code.cpp, which finds the compilers by its RUNPATH."""
    program = directory / "machine_code"
    subprocess.run([nvcc(), "-std=c++20", "-cudart", "none", "-o", program, HERE / "machine_code.cpp", "-Xlinker", NVRTC[0], "-Xlinker", NVJITLINK[0],
                    f"-L{BUILD / 'lib'}", "-lcuda", f"-Xlinker=-rpath,{os.path.dirname(NVRTC[0])}"], check=True)
    return program


class MachineCode(EndToEndTest):
    def test_it_is_executed(self):
        program = compiled(self.directory)
        for case in ("compiled", "virtual", "linked", "again", "optimised", "partly", "undefined"):
            with self.subTest(case):
                run = self.run_privately(program, case)
                self.assertStatus(run, 0)
                self.assertEqual((run.out, run.err), ("PASS\n", ""))

    def test_a_host_object_is_not_linked(self):
        part = self.directory / "part.o"
        (self.directory / "part.cu").write_text("__device__ int unused(int x) { return x; }\n")
        subprocess.run([nvcc(), "-arch=sm_75", "-dc", "-o", part, self.directory / "part.cu"], check=True)
        run = self.run_privately(compiled(self.directory), "with a file", part)
        self.assertStatus(run, 0)
        self.assertEqual((run.out, run.err), ("PASS\n", f"pegasus: nvJitLink: {part} is not linked: only PTX, fatbins and "
                                              "intermediate code can be, not host objects and libraries\n"))

    def test_what_nvcc_makes_of_it(self):
        # As pycuda does. What the device's linker takes stays as it is.
        kernel, plain, part = (self.directory / name for name in ("kernel.cu", "kernel.cubin", "part.cubin"))
        kernel.write_text('extern "C" __global__ void k(int *out) { *out = 41; }\n')
        for output, options in ((plain, ["-cubin"]), (part, ["-dc", "-cubin"])):
            made = self.run_privately(nvcc(), "-arch=sm_75", *options, "-o", output, kernel)
            self.assertStatus(made, 0)
        self.assertNotIn(b".pegasus.ptx", part.read_bytes())
        run = self.run_privately(*python("client_executes.py", plain))
        self.assertStatus(run, 0)
        self.assertEqual((run.out, run.err), ("PASS\n", ""))

    def test_a_program_that_is_built_meanwhile(self):
        program = self.directory / "saxpy"
        made = self.run_privately(nvcc(), "-arch=sm_75", "-o", program, HERE.parents[1] / "workloads" / "saxpy.cu")
        self.assertStatus(made, 0)
        run = self.run_privately(program)
        self.assertStatus(run, 0)
        self.assertEqual((run.out, run.err), ("1048576 elements, largest error 0\n", ""))

    def test_a_library_that_is_opened_by_its_path(self):
        run = self.run_privately(*python("client_machine_code.py", NVRTC[0]))
        self.assertStatus(run, 0)
        self.assertEqual((run.out, run.err), ("PASS\n", ""))


class OfGpu(Gpu):
    def test_it_is_that_of_the_gpu(self):
        daemon = self.start_gpu_daemon(wrapped={"CUDA_WRAPPED_GPUS": "2"})  # with names of their own
        run = self.guest(daemon, [compiled(self.directory), "machine code"])
        self.assertStatus(run, 0)
        self.assertEqual((run.out, run.err), ("PASS\n", ""))


if __name__ == "__main__":
    unittest.main()
