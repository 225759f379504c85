# SPDX-License-Identifier: Apache-2.0
"""The progress matrix: hold=auto keeps its promise, and the page has what `ci/papers progress` measures. A sample of the
cells; all of them, which takes minutes, with PEGASUS_ALL_CELLS=1."""
import itertools
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import BUILD

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "evaluation" / "progress.md"
os.environ["PEGASUS_BUILD"] = str(BUILD)  # where the modules of ci/ look for the simulator
sys.path.insert(0, str(ROOT / "ci"))

import progress  # noqa: E402

SAMPLE = progress.CELLS[7::15]  # of each gap, kernel, change, kind and spread


def papers(*words):
    return subprocess.run([ROOT / "ci" / "papers", *words], capture_output=True, text=True)


def table_of(page, policy):
    """Its entries by row and column."""
    lines = page.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith(f"| {policy}: "))
    rows = [[cell.strip() for cell in line.strip("|").split("|")]
            for line in itertools.takewhile(lambda line: line.startswith("|"), lines[first:])]
    return {(row[0], column): entry for row in rows[2:] for column, entry in zip(rows[0][1:], row[1:])}


class Progress(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.page = PAGE.read_text()
        cls.matrix = progress.measure([], SAMPLE)

    def test_with_hold_auto_each_domain_keeps_its_part_and_the_device_its_work(self):
        automatic = {policy: results for policy, results in self.matrix.items() if policy.endswith(" hold=auto")}
        self.assertEqual(sorted(automatic), ["eevdf hold=auto", "fair hold=auto"])
        for policy, results in automatic.items():
            for cell, result in results.items():
                with self.subTest(policy, cell=cell):
                    self.assertGreaterEqual(result.least, progress.LEAST)
                    self.assertGreaterEqual(result.work, progress.WORK)

    def test_lead_keeps_both_promises_where_a_change_costs(self):
        costly = {cell: result for cell, result in self.matrix["lead"].items() if cell.change != "0us"}
        self.assertGreater(len(costly), 10)
        for cell, result in costly.items():
            with self.subTest(cell=cell):
                self.assertGreaterEqual(result.least, progress.LEAST)
                self.assertGreaterEqual(result.work, progress.WORK)

    def test_the_sample_can_tell(self):
        for policy in ("none", "accc", "eevdf", "lead", "fair hold=2ms"):
            self.assertLess(min(result.least for result in self.matrix[policy].values()), 0.8, policy)

    def test_the_page_has_what_is_measured(self):
        for policy in progress.DETAILED:
            entries = table_of(self.page, policy)
            shown = progress.shown(self.matrix[policy])
            self.assertGreater(len(shown), 10)
            self.assertEqual({place: entries[place] for place in shown},
                             {place: str(result) for place, result in shown.items()}, policy)

    @unittest.skipUnless(os.environ.get("PEGASUS_ALL_CELLS"), "takes minutes; ci/soak progress runs it")
    def test_the_page_has_all_tables_and_the_picture(self):
        with tempfile.TemporaryDirectory() as folder:
            copy, picture = Path(folder) / "page.md", Path(folder) / "picture.svg"
            copy.write_text(self.page)
            answer = papers("progress", "--page", copy, "--picture", picture)
            self.assertEqual(answer.returncode, 0, answer)
            tables = answer.stdout.strip().split("\n\n")
            self.assertEqual([len(table.splitlines()) > 8 for table in tables], [True] * 3)
            for table in tables:
                self.assertIn(f"\n{table}\n", self.page)
            self.assertEqual(copy.read_text(), self.page)  # an unknown row in one of its tables would be replaced
            self.assertEqual(picture.read_text(), PAGE.with_suffix(".svg").read_text())

    def test_picture_and_page_are_refused_where_there_is_no_matrix(self):
        for option in ("--picture", "--page"):
            answer = papers("fairgv-fig8", option, "file")
            self.assertEqual((answer.returncode, answer.stdout), (1, ""))
            self.assertIn("--picture and --page are of progress", answer.stderr)


if __name__ == "__main__":
    unittest.main()
