# SPDX-License-Identifier: Apache-2.0
"""ci/gpu-check without a GPU, as short as it can be: everything is run; the figures are not checked."""
import json
import shutil
import sys
import time
import unittest
from pathlib import Path
from unittest import mock

from support import BUILD, EndToEndTest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "bench" / "gpu"))
import driver
from stage import Failed, Stage

GPU_CHECK = ROOT / "ci" / "gpu-check"
# A program in the worker's place. Only workers that load a driver are given the driver's variables.
FAILING_WORKER = f"""#!/bin/sh
if [ $# = 0 ] && [ "$CUDA_CACHE_DISABLE" ]; then
  echo "no context today" >&2
  exit 69
fi
exec {BUILD}/bin/pegasus-avcpu "$@"
"""


class GpuCheck(EndToEndTest):
    def check(self, *words, status=0, build=BUILD, accelerator="software", within=280):
        """Its document, its sections by name, and the program."""
        file = self.directory / "result.json"
        program = self.start([sys.executable, "-B", GPU_CHECK, "--build", build, "--accelerator", accelerator, "--seconds",
                              "0.01", "--json", file, *words])
        self.assertStatus(program, status, within)
        document = json.loads(file.read_text())
        return document, {section["name"]: section for section in document["sections"]}, program

    @staticmethod
    def texts(section):
        return {row["what"]: row["text"] for row in section["rows"] if "text" in row}

    def test_facts(self):
        document, sections, program = self.check("facts")
        self.assertFalse(document["gpu"])
        self.assertIn("say nothing about one", program.out)
        self.assertEqual(list(sections), ["machine", "calls", "facts", "ladder", "preemption"])
        machine = self.texts(sections["machine"])
        self.assertIn("Linux", machine["uname -a"])
        self.assertIn("RLIMIT_MEMLOCK", machine["limits"])
        self.assertIn("/proc", machine["cat /proc/self/mountinfo"])
        calls = self.texts(sections["calls"])
        if "calls" in calls:  # there is strace, and it may trace
            self.assertRegex(calls["calls"], r"\d+ openat")
            self.assertIn("libcuda.so.1", calls["files"])
            self.assertTrue((self.directory / "result.native.strace").exists())
        facts = {(row["part"], row["what"]): row for row in sections["facts"]["rows"]}
        for part, what in (("context", "cuInit"), ("launches", "an empty kernel, and the wait for it"),
                           ("launches", "a graph of 200 kernels of 5 us: each kernel"),
                           ("timing", "a kernel of 20 us: by its own clock"), ("copies", "copy 16 MiB, pinned, up"),
                           ("kill", "kill of that process: until our next kernel of 100 us is done")):
            self.assertGreater(facts[part, what]["value"], 0)
        self.assertEqual(facts["memory", "of 255 MiB that a killed process had freed, not clean"]["value"], 0)
        switch_us = document["accelerator"]["switch_cost_ns"] / 1000
        self.assertGreaterEqual(switch_us, 20)  # what is taken of a driver that measures less, as ours
        self.assertIn(f"a change of context is expected to take {switch_us:g} us", program.out)
        self.assertEqual([row["verified"] for row in sections["ladder"]["rows"]][-1], True)
        said = {(row["part"], row["what"]) for row in sections["preemption"]["rows"]}
        nothing = "this driver's library makes no channel groups through ioctl: there is nothing to suspend"
        for part in ("time-slices", "suspend-kernel", "suspend-graph"):
            self.assertIn((part, nothing), said)
        self.assertIn(("suspend-machine-code", "this device runs no machine code of ours"), said)

    def test_programs(self):
        _, sections, _ = self.check("programs")
        self.assertEqual(list(sections), ["ladder", "programs", "reset", "accounting", "overhead", "libraries"])
        self.assertTrue(all(row["verified"] for row in sections["programs"]["rows"]))
        self.assertEqual([row["verified"] for row in sections["reset"]["rows"]], [True, True])
        self.assertTrue(all(row["accounted_s"] > 0 for row in sections["accounting"]["rows"]))
        self.assertTrue(all(row["ratio"] > 0 for row in sections["overhead"]["rows"]))
        self.assertIn("torch", {row["program"] for row in sections["libraries"]["rows"]})

    def test_scheduling(self):
        _, sections, _ = self.check("scheduling", "--policy", "accc")
        self.assertEqual(list(sections), ["ladder", "fairness", "gaps", "slicing", "queueing", "kill"])
        whole, *sliced = sections["slicing"]["rows"]
        self.assertEqual(whole["pieces"], 1)
        self.assertTrue(sliced and all(row["pieces"] > 1 and row["slowdown"] > 0 for row in sliced))
        self.assertLess(sliced[-1]["pieces"], 100)  # a few were asked for, of thousands of blocks
        queueing = sections["queueing"]["rows"]
        self.assertEqual({row["queued launches"] for row in queueing}, {256, 16, 4, 2, 1})
        self.assertTrue(all(row["us_per_launch"] > 0 for row in queueing))
        fairness = sections["fairness"]["rows"]
        self.assertEqual(len(fairness), 8)
        self.assertTrue(all(0 <= row["mmr"] <= 1 for row in fairness))  # within 10 ms not all have run
        gaps = sections["gaps"]["rows"]
        self.assertEqual([row["policy"] for row in gaps], ["accc"] * len(gaps))
        self.assertTrue(gaps and all(row["alone_us"] > 0 for row in gaps))
        killed, = [row for row in sections["kill"]["rows"] if row["what"].startswith("until a kernel without end")]
        self.assertTrue(killed["verified"])

    def test_a_worker_that_fails_is_explained_and_nothing_is_lost(self):
        build = self.directory / "build"
        (build / "bin").mkdir(parents=True)
        (build / "lib").symlink_to(BUILD / "lib")
        for name in ("pegasus", "pegasusctl", "workloads"):
            (build / "bin" / name).symlink_to(BUILD / "bin" / name)
        shutil.copy(BUILD / "bin" / "pegasusd", build / "bin")  # it starts the worker beside itself
        worker = build / "bin" / "pegasus-avcpu"
        worker.write_text(FAILING_WORKER)
        worker.chmod(0o755)
        document, sections, program = self.check("--only", "ladder", "--only", "reset", status=1, build=build)
        self.assertEqual(list(sections), ["ladder", "reset"])
        self.assertTrue(all(section["failed"] for section in document["sections"]))
        self.assertIn("no context today", sections["ladder"]["rows"][-1]["why"])
        self.assertIn("no context today", sections["reset"]["logs"]["pegasus"])
        self.assertIn("no context today", program.out)

    def test_a_driver_that_is_not_there_is_explained(self):
        document, sections, program = self.check("programs", status=1, accelerator="cuda")
        self.assertTrue(document["gpu"])
        self.assertEqual(len(sections), 6)
        self.assertIn("pegasusd did not start", sections["programs"]["why"])
        self.assertIn("the CUDA driver cannot be loaded", program.out)

    def test_with_a_gpus_device_node_nothing_else_is_measured(self):
        with mock.patch.object(driver, "device_nodes", lambda: ["/dev/nvidia0"]):
            stage = Stage(BUILD, "auto")
            self.addCleanup(stage.close)
            self.assertTrue(stage.on_gpu)
            with self.assertRaisesRegex(Failed, "this machine has a GPU"):
                Stage(BUILD, "software")

    def test_a_call_ends_in_time_and_says_what_it_left_out(self):
        begin = time.monotonic()
        _, sections, program = self.check("--only", "fairness", "--only", "queueing", "--minutes", "0.6", "--seconds", "3")
        self.assertLess(time.monotonic() - begin, 60 * 0.6)
        self.assertTrue(sections["fairness"]["left_out"])
        self.assertEqual(sections["queueing"]["left_out"], ["all of it"])
        self.assertIn("LEFT OUT for lack of time: all of it", program.out)


if __name__ == "__main__":
    unittest.main()
