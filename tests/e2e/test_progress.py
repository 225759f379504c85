# SPDX-License-Identifier: Apache-2.0
"""The progress matrix: its page has the tables and the picture that `ci/papers progress` makes."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import BUILD

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "evaluation" / "progress.md"


def papers(*words):
    return subprocess.run([ROOT / "ci" / "papers", *words], capture_output=True, text=True, timeout=580,
                          env={**os.environ, "PEGASUS_BUILD": str(BUILD)})


class Progress(unittest.TestCase):
    maxDiff = None

    def test_the_page_has_the_tables_and_the_picture(self):
        page = PAGE.read_text()
        with tempfile.TemporaryDirectory() as folder:
            copy, picture = Path(folder) / "page.md", Path(folder) / "picture.svg"
            copy.write_text(page)
            answer = papers("progress", "--page", copy, "--picture", picture)
            self.assertEqual(answer.returncode, 0, answer)
            tables = answer.stdout.strip().split("\n\n")
            self.assertEqual([len(table.splitlines()) > 8 for table in tables], [True] * 3)
            for table in tables:
                self.assertIn(f"\n{table}\n", page)
            self.assertEqual(copy.read_text(), page)  # an unknown row in one of its tables would be replaced
            self.assertEqual(picture.read_text(), PAGE.with_suffix(".svg").read_text())

    def test_picture_and_page_are_refused_where_there_is_no_matrix(self):
        for option in ("--picture", "--page"):
            answer = papers("fairgv-fig8", option, "file")
            self.assertEqual((answer.returncode, answer.stdout), (1, ""))
            self.assertIn("--picture and --page are of progress", answer.stderr)


if __name__ == "__main__":
    unittest.main()
