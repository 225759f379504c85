# SPDX-License-Identifier: Apache-2.0
"""`cmake --install`: the programs work from where they were put, and are found by the links; each component is whole."""
import os
import subprocess
import unittest
from pathlib import Path

from support import BUILD, EndToEndTest, workload

COMPONENTS_IN_C = ("frontend/protocol", "xen-patches/abi")


class Install(EndToEndTest):
    def install(self, *options):
        prefix = self.directory / "prefix"
        subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix, *options], check=True, stdout=subprocess.DEVNULL)
        return prefix

    def test_a_program_runs(self):
        prefix = self.install()
        program = self.start([prefix / "bin" / "pegasus", "run", "--private", "--", workload("vector_add")])
        self.assertPassed(program)
        examined = self.start([prefix / "bin" / "pegasus", "doctor", workload("vector_add")])
        self.assertStatus(examined, 0)
        self.assertTrue(examined.out.endswith("will run\n"), examined.out)
        libraries = self.start([prefix / "bin" / "pegasus", "run", "--private", "--", "sh", "-c", "echo $LD_PRELOAD"])
        self.assertStatus(libraries, 0)
        for library in libraries.out.strip().split(":"):
            self.assertTrue(library.startswith(f"{prefix}/lib/pegasus/lib/"), library)
            self.assertTrue(os.path.exists(library), library)

    def test_the_demo_finds_its_programs(self):
        demo = self.start([self.install() / "bin" / "pegasus", "demo", "--duration", "1s", "--policies", "fair"])
        self.assertStatus(demo, 0)
        self.assertEqual(demo.out.count(" yes"), 4, str(demo))

    def test_what_a_host_needs(self):
        prefix = self.install("--component", "host")
        for name in ("pegasus", "pegasusctl", "pegasusd", "pegasus-sim"):
            self.assertStatus(self.start([prefix / "bin" / name, "--help"]), 0)
        unit = (prefix / "lib/systemd/system/pegasusd.service").read_text()
        started, = (line.split("=")[1].split() for line in unit.splitlines() if line.startswith("ExecStart="))
        self.assertStatus(self.start([*started[:1], "--help"]), 0)
        manual, = (line.split("file:")[1] for line in unit.splitlines() if line.startswith("Documentation="))
        self.assertIn("pegasusd", Path(manual).read_text())

    def test_what_a_guest_needs(self):
        prefix = self.install("--component", "guest")
        put = {str(path.relative_to(prefix)) for path in prefix.rglob("*") if not path.is_dir()}
        self.assertEqual(put, {"bin/nested-scheduler", *(f"lib/pegasus/lib/{name}" for name in (
            "libcuda.so", "libcuda.so.1", "libcudart.so", "libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0",
            "libcudart_static.a", "libpegasus-relink.so", "jit/libnvrtc.so.13", "jit/libnvrtc.so.12", "jit/libnvrtc.so.11.2",
            "jit/libnvJitLink.so.13", "jit/libnvJitLink.so.12"))})
        scheduler = self.start([prefix / "bin/nested-scheduler"], environment=dict(self.environment, PEGASUS_SOCKET="/nowhere"))
        self.assertStatus(scheduler, 3)
        self.assertOneSentence(scheduler, "no accelerator daemon at /nowhere")
        # Without anything else of Pegasus, and with no daemon: it is found, and says what is missing.
        program = self.start([workload("vector_add")],
                             environment=dict(self.environment, LD_LIBRARY_PATH=str(prefix / "lib/pegasus/lib")))
        self.assertNotEqual(program.ended(30), 0)
        self.assertIn("pegasus: ", program.err)

    def test_headers_stand_alone(self):
        include = self.install("--component", "development") / "include/pegasus"
        headers = sorted(path.relative_to(include) for path in include.rglob("*.h"))
        self.assertIn(Path("policies/policy.h"), headers)
        for header in headers:
            plain = str(header.parent) in COMPONENTS_IN_C
            language, compiler = (("c", ["cc", "-std=c99"]) if plain else ("c++", ["c++", "-std=c++20"]))
            subprocess.run([*compiler, "-I", include, "-fsyntax-only", "-x", language, "-"], check=True, text=True,
                           input=f'#include "{header}"\n')


if __name__ == "__main__":
    unittest.main()
