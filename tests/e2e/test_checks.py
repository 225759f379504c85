# SPDX-License-Identifier: Apache-2.0
"""The static checks of ci/ fail where they are to: on trees made for each test."""
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CI = Path(__file__).parents[2] / "ci"


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "ci").mkdir()
        shutil.copy(CI / "tree.py", self.root / "ci")

    def write(self, name, text=""):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_code(self, *lines):
        code = "\n".join(["import sys", f"sys.path.insert(0, {str(self.root / 'ci')!r})", "import tree", *lines])
        return subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True)

    def check(self, name):
        shutil.copy(CI / name, self.root / "ci")
        return subprocess.run([sys.executable, "-B", self.root / "ci" / name], capture_output=True, text=True)


class PathsTest(Tree):
    REPORT = "sys.exit(tree.Report('check').end('done'))"

    def test_folders_and_globs_select(self):
        self.write("gate/gate.h")
        answer = self.run_code("paths = tree.Paths('owner', 'gate/', '*.py')",
                               "print([name in paths for name in ('gate/gate.h', 'gates/a.h', 'ci/tree.py')])", self.REPORT)
        self.assertEqual((answer.returncode, answer.stdout), (0, "[True, False, True]\ncheck: ok (done)\n"))

    def test_a_pattern_that_selects_no_file_is_a_finding(self):
        answer = self.run_code("tree.Paths('ci/owner', 'ci/', 'moved/', 'ci/no_*.py')", self.REPORT)
        self.assertEqual(answer.returncode, 1)
        self.assertEqual(answer.stdout.splitlines()[:-1], ["ci/owner:1: 'moved/' selects no file of the tree",
                                                           "ci/owner:1: 'ci/no_*.py' selects no file of the tree"])

    def test_the_checks_use_them(self):
        for check, folder in (("check-purity", "domA/ring/"), ("check-words", "LICENSES/"), ("check-spdx", "xen-patches/abi/"),
                              ("check-includes", "domA/guests/xen/")):
            answer = self.check(check)
            self.assertEqual(answer.returncode, 1, check)
            self.assertIn(f"'{folder}' selects no file of the tree", answer.stdout)


if __name__ == "__main__":
    unittest.main()
