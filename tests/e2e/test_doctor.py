# SPDX-License-Identifier: Apache-2.0
"""`pegasus doctor`: what it says of programs and Python environments, and that `pegasus run` then agrees."""
import json
import subprocess
import unittest
from pathlib import Path

from support import BUILD, HERE, PEGASUS, EndToEndTest, nvcc, workload

CUBLAS = list(Path(nvcc()).resolve().parents[1].glob("lib*/libcublas.so"))
SAXPY = HERE.parents[1] / "workloads" / "saxpy.cu"
UNKNOWN = """
#include <cstdio>
__global__ void count(cudaSurfaceObject_t surface, float *out) {
  asm volatile("sured.b.add.1d.u32.trap [%0, {%1}], %2;" :: "l"(surface), "r"(threadIdx.x * 4), "r"(1));
  out[threadIdx.x] = 1;
}
__global__ void twice(float *out) { out[threadIdx.x] *= 2; }
int main(int arguments, char **) {
  float *out = nullptr;
  cudaMalloc(&out, 128);
  if (arguments > 1)
    count<<<1, 32>>>(0, out);
  else
    twice<<<1, 32>>>(out);
  cudaError_t const status = cudaDeviceSynchronize();
  std::puts(cudaGetErrorName(status));
  return status == cudaSuccess && cudaGetLastError() == cudaSuccess ? 0 : 1;
}
"""
REFUSED = """
#include <cstdio>
int main() {
  void *memory = nullptr;
  cudaMalloc(&memory, 128);
  cudaIpcMemHandle_t handle;
  cudaError_t const status = cudaIpcGetMemHandle(&handle, memory);
  std::puts(cudaGetErrorName(status));
  return status == cudaSuccess ? 0 : 1;
}
"""
PRODUCT = """
#include <cublas_v2.h>
int main() {
  cublasHandle_t handle;
  return cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS ? 0 : 1;
}
"""


class Doctor(EndToEndTest):
    def compiled(self, name, text, *options):
        source = self.directory / f"{name}.cu"
        source.write_text(text)
        return self.linked(name, source, *options)

    def linked(self, name, *words):
        program = self.directory / name
        subprocess.run([nvcc(), "-o", program, *words], check=True, capture_output=True)
        return program

    def examined(self, program, *options, status, environment=None):
        process = self.start([PEGASUS, "doctor", *options, program], environment={**self.environment, **(environment or {})})
        self.assertStatus(process, status)
        self.assertEqual(process.err, "")
        return process.out

    def said(self, program, status, **variables):
        """The findings, each as its words, and the verdict."""
        document = json.loads(self.examined(program, "--json", status=status, environment=variables))
        self.assertEqual(document["verdict"], {0: "runs", 1: "runs_in_part", 125: "does_not_run"}[status])
        return [f"{one['about']}: {one['what']}; {one['remedy']}" for one in document["findings"]], document["sentence"]

    def assertSays(self, findings, *parts):
        self.assertTrue(any(all(part in one for part in parts) for one in findings), f"{parts} in {findings}")

    def test_a_program_that_runs(self):
        program = BUILD / "bin" / "examples" / "saxpy"
        lines = self.examined(program, status=0).splitlines()
        self.assertRegex(lines[0], "^OBJECT +ABOUT +FOUND$")
        self.assertEqual(lines[-1], "will run")
        findings, _ = self.said(program, 0)
        self.assertSays(findings, "runtime", "NVIDIA's static runtime of CUDA", "replaced when it is loaded")
        self.assertSays(findings, "kernels", "1 kernel can run")
        self.assertStatus(self.run_privately(program), 0)

    def test_a_stripped_program(self):
        program = self.directory / "stripped"
        subprocess.run(["strip", "-o", program, workload("vector_add_static")], check=True)
        _, verdict = self.said(program, 125)
        self.assertIn("its symbols are stripped", verdict)
        self.assertIn("-cudart shared", verdict)
        refused = self.run_privately(program)
        self.assertStatus(refused, 125)
        self.assertIn(verdict.removeprefix("will not run: ").partition(" (")[0], refused.err)

    def test_a_program_without_a_dynamic_linker(self):
        _, verdict = self.said(self.linked("static", "-Xcompiler", "-static", SAXPY), 125)
        self.assertIn("it was linked with -static, which has to be left out", verdict)

    def test_machine_code_only(self):
        program = workload("vector_add_no_ptx")
        findings, verdict = self.said(program, 125)
        self.assertSays(findings, "images", "1 of 1 image", "machine code for sm_")
        self.assertTrue(verdict.startswith("will not run on the software accelerator: "), verdict)
        self.assertIn("arch=compute_75,code=compute_75", verdict)
        self.assertNotEqual(self.run_privately(program).ended(60), 0)

    def test_ptx_that_is_too_new(self):
        program = self.linked("new", "-gencode", "arch=compute_90,code=compute_90", SAXPY)
        findings, _ = self.said(program, 125)
        self.assertSays(findings, "PTX for compute_90")

    def test_an_unknown_instruction(self):
        program = self.compiled("unknown", UNKNOWN)
        findings, verdict = self.said(program, 1)
        self.assertSays(findings, "instruction", "'sured.b.add.1d.u32.trap'", "count(", "PTX line")
        self.assertIn("1 of 2 kernels of unknown", verdict)
        self.assertIn("sured.b.add.1d.u32.trap", verdict)
        self.assertStatus(self.run_privately(program), 0)
        failed = self.run_privately(program, "count")
        self.assertStatus(failed, 1)
        self.assertIn("the software accelerator does not know the instruction 'sured.b.add.1d.u32.trap'", failed.err)

    def test_a_refused_function(self):
        program = self.compiled("refused", REFUSED, "-cudart", "shared")
        findings, verdict = self.said(program, 1)
        self.assertSays(findings, "functions", "cudaIpcGetMemHandle", "cudaErrorNotSupported")
        self.assertIn("calls of cudaIpcGetMemHandle", verdict)
        failed = self.run_privately(program)
        self.assertStatus(failed, 1)
        self.assertIn("cudaIpcGetMemHandle is not supported", failed.err)

    def test_functions_of_the_driver(self):
        names = ("cuInit", "cuIpcGetMemHandle", "cuThereIsNone", "cubic")  # the last is not of its API
        library = self.directory / "libcuda.so.1"
        subprocess.run(["cc", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-x", "c", "-", "-o", library], check=True,
                       text=True, input="\n".join(f"int {name}(void) {{ return 0; }}" for name in names))
        program = self.directory / "driver"
        subprocess.run(["cc", "-x", "c", "-", "-o", program, "-x", "none", library], check=True, text=True, input="".join(
            f"int {name}(void); " for name in names) + f"int main(void) {{ return {' + '.join(f'{name}()' for name in names)}; }}")
        findings, verdict = self.said(program, 1)
        self.assertSays(findings, "runtime", "it uses the driver API")
        self.assertSays(findings, "functions", "not supported", "cuIpcGetMemHandle", "CUDA_ERROR_NOT_SUPPORTED")
        self.assertSays(findings, "functions", "not in Pegasus's libcuda.so.1: cuThereIsNone;")
        self.assertEqual(verdict, "will run except: calls of cuIpcGetMemHandle; calls of cuThereIsNone (do without them)")

    @unittest.skipUnless(CUBLAS, "cuBLAS is not installed")
    def test_cublas(self):
        program = self.compiled("product", PRODUCT, "-cudart", "shared", "-lcublas")
        _, verdict = self.said(program, 1, LD_LIBRARY_PATH=str(CUBLAS[0].parent))
        self.assertIn("calls of cuBLAS", verdict)

    def test_a_library_that_is_not_there(self):
        library = self.directory / "libpart.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", library], input=b"int part(void) { return 0; }", check=True)
        program = self.directory / "whole"
        subprocess.run(["cc", "-x", "c", "-", "-o", program, f"-L{self.directory}", "-lpart"],
                       input=b"int part(void); int main(void) { return part(); }", check=True)
        _, verdict = self.said(program, 125)
        self.assertIn("libpart.so is not found", verdict)
        self.said(program, 0, LD_LIBRARY_PATH=str(self.directory))

    def test_no_cuda(self):
        findings, _ = self.said("/bin/ls", 0)
        self.assertSays(findings, "runtime", "no CUDA is to be seen")

    def test_a_script(self):
        script = self.directory / "script"
        script.write_text("#!/bin/sh\necho hello\n")
        script.chmod(0o755)
        findings, _ = self.said(script, 0)
        self.assertSays(findings, "program", "is a script of /bin/sh")

    def test_what_is_no_program(self):
        text = self.directory / "text"
        text.write_text("hello\n")
        for name, status in ((text, 126), (self.directory, 126), ("there-is-none", 127)):
            with self.subTest(name=name):
                process = self.start([PEGASUS, "doctor", name])
                self.assertStatus(process, status)
                self.assertOneSentence(process, Path(name).name)

    def environment_of(self, packages):
        root = self.directory / "venv"
        site = root / "lib" / "python3.11" / "site-packages"
        (root / "bin").mkdir(parents=True)
        (root / "bin" / "python3").symlink_to("/bin/true")
        (root / "pyvenv.cfg").write_text("home = /nowhere\n")
        for name, version in packages.items():
            directory = site / f"{name}-{version}.dist-info"
            directory.mkdir(parents=True)
            (directory / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\n")
        return root, site

    def test_a_python_environment(self):
        root, _ = self.environment_of({"cupy_cuda13x": "14.2.0", "numba": "0.61.0", "requests": "2"})
        for program in (root, root / "bin" / "python3"):
            findings, verdict = self.said(program, 1)
            self.assertSays(findings, "package", "its built-in CUDA target runs")
            self.assertIn("CUPY_ACCELERATORS=", verdict)
            self.assertFalse(any("requests" in one for one in findings))

    def test_a_module_of_a_package(self):
        root, site = self.environment_of({"torch": "2.9.0"})
        module = site / "torch" / "part.so"
        module.parent.mkdir()
        module.write_bytes(workload("vector_add_no_ptx").read_bytes())
        (site / "torch-2.9.0.dist-info" / "RECORD").write_text("torch/part.so,,\ntorch/gone.so,,\n")
        findings, _ = self.said(root, 1)
        self.assertSays(findings, "images", "1 of 1 image", "machine code")

    def test_a_script_of_python(self):
        root, _ = self.environment_of({"numba": "0.61.0"})
        script = self.directory / "script.py"
        script.write_text(f"#!{root}/bin/python3\n")
        script.chmod(0o755)
        findings, _ = self.said(script, 0)
        self.assertSays(findings, "package", "its built-in CUDA target runs")

    def test_each_kernel(self):
        program = self.compiled("unknown", UNKNOWN, "-cudart", "shared")
        self.assertIn("count(unsigned long long, float*), PTX line", self.examined(program, "--verbose", status=1))


if __name__ == "__main__":
    unittest.main()
