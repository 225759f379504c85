# SPDX-License-Identifier: Apache-2.0
"""pegasusctl and its daemon: versions, wrong words, no daemon, two of them."""
import unittest

from control import ControlTest
from support import BUILD, Program


class Control(ControlTest):
    def test_version(self):
        version = self.daemon.ask("version")
        self.assertEqual(version["pegasusd"]["version"], version["pegasusctl"])
        self.assertEqual(version["pegasusd"]["pid"], self.daemon.pid)

    def test_usage(self):
        self.refused(["frobnicate"], 2, "frobnicate", "policies", "domains", "top")
        self.refused(["--frobnicate", "domains"], 2, "--daemon", "--json")
        self.refused([], 2, "policies")
        self.refused(["log", "-n", "-1"], 2, "--entries")
        self.refused(["top", "-i", "0", "-c", "1"], 2, "--interval")

    def test_no_daemon(self):
        for words in (["domains"], ["--json", "domains"], ["version"]):
            program = self.start([BUILD / "bin" / "pegasusctl", "--daemon", self.runtime / "none", *words])
            self.assertStatus(program, 3, within=2)
            self.assertOneSentence(program, "no pegasusd is running", "--daemon")

    def test_two_daemons_in_one_directory(self):
        second = Program([BUILD / "bin" / "pegasusd", "--directory", self.daemon.directory], self.environment)
        self.addCleanup(second.close)
        self.assertStatus(second, 1, within=10)
        self.assertIn("another pegasusd already serves", second.err)
        self.assertEqual(self.daemon.ask("policy")["name"], "accc")


if __name__ == "__main__":
    unittest.main()
