# SPDX-License-Identifier: Apache-2.0
"""ci/gpu-check without a GPU, as short as it can be: every measurement is made; the figures are not checked."""
import json
import sys
import unittest
from pathlib import Path

from support import BUILD, EndToEndTest

GPU_CHECK = Path(__file__).resolve().parents[2] / "ci" / "gpu-check"


class GpuCheck(EndToEndTest):
    def test_every_section(self):
        file = self.directory / "result.json"
        program = self.start([sys.executable, "-B", GPU_CHECK, "--build", BUILD, "--accelerator", "software", "--seconds",
                              "0.01", "--policy", "accc", "--json", file])
        self.assertStatus(program, 0, within=280)
        document = json.loads(file.read_text())
        self.assertFalse(document["gpu"])
        self.assertIn("say nothing about one", program.out)
        switch_us = document["accelerator"]["switch_cost_ns"] / 1000
        self.assertGreaterEqual(switch_us, 20)  # what is taken of a driver that measures less, as ours
        self.assertIn(f"a change of context is expected to take {switch_us:g} us", program.out)
        sections = {section["title"]: section["rows"] for section in document["sections"]}
        self.assertEqual(list(sections), ["Programs", "Overhead", "Accounting", "Slicing", "Queueing", "Fairness"])
        self.assertTrue(all(row["verified"] for row in sections["Programs"]))
        self.assertTrue(all(row["ratio"] > 0 for row in sections["Overhead"]))
        self.assertTrue(all(row["accounted_s"] > 0 for row in sections["Accounting"]))
        whole, *sliced = sections["Slicing"]
        self.assertEqual(whole["pieces"], 1)
        self.assertTrue(sliced and all(row["pieces"] > 1 and row["slowdown"] > 0 for row in sliced))
        self.assertLess(sliced[-1]["pieces"], 100)  # a few were asked for, of thousands of blocks
        self.assertEqual({row["queued launches"] for row in sections["Queueing"]}, {256, 16, 4, 2, 1})
        self.assertTrue(all(row["us_per_launch"] > 0 for row in sections["Queueing"]))
        self.assertEqual(len(sections["Fairness"]), 8)
        self.assertTrue(all(0 <= row["mmr"] <= 1 for row in sections["Fairness"]))  # within 10 ms not all have run


if __name__ == "__main__":
    unittest.main()
