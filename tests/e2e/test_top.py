# SPDX-License-Identifier: Apache-2.0
"""pegasusctl top: its lines, its keys, its terminal."""
import json
import re
import signal
import unittest

from control import ControlTest
from support import workload


class Top(ControlTest):
    def test_top(self):
        self.daemon.ask("set", "--create", "d1", "credits=100")
        answer = self.daemon.ctl("top", "--count", "3", "--interval", "50ms", "--json")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        lines = answer.stdout.splitlines()
        self.assertEqual(len(lines), 3)
        for line in lines:
            self.assertIn("d1", json.dumps(json.loads(line)))
        self.assertEqual(self.daemon.ctl("top", "-c", "2", "-i", "50ms").stdout.count("d1"), 2)

    def test_top_on_a_terminal_has_keys(self):
        self.daemon.ask("set", "--create", "small", "credits=100")
        self.daemon.ask("set", "--create", "large", "credits=100")
        self.assertPassed(self.guest(self.daemon, [workload("throttle"), "--seconds", "0.3"], domain="small"))
        top = self.daemon.with_keys("top", "-i", "3600s")
        self.addCleanup(top.close)
        self.assertTrue(top.sees("by name") and top.sees("small"), top.shown)
        self.assertLess(top.shown.index("large"), top.shown.index("small"))
        top.press("s")
        self.assertTrue(top.sees("by now"), top.shown)
        top.press("\x1b[A")  # an arrow
        top.press("h")
        self.assertTrue(top.sees("NOW is a domain's part"), top.shown)
        self.daemon.ask("set", "--create", "newcomer", "credits=100")
        top.press(" ")
        self.assertTrue(top.sees("newcomer"), top.shown)
        top.press("q")
        self.assertEqual(top.end(), 0)
        self.assertTrue(top.shown.endswith("\x1b[?1049l"), top.shown)
        self.assertEqual(top.settings(), top.before)

    def test_top_gives_the_terminal_back_when_it_is_interrupted(self):
        top = self.daemon.with_keys("top")
        self.addCleanup(top.close)
        self.assertTrue(top.sees("by name"), top.shown)
        self.assertNotEqual(top.settings(), top.before)
        top.press("\x03")
        self.assertEqual(top.end(), -signal.SIGINT)
        self.assertEqual(top.settings(), top.before)

    def test_top_is_ordered(self):
        self.assertPassed(self.guest(self.daemon, [workload("throttle"), "--seconds", "0.3"], domain="zealous"))
        self.daemon.ask("set", "--create", "able", "credits=100")
        names = lambda *words: re.findall("able|zealous", self.daemon.ctl("top", "-c", "1", *words).stdout)
        self.assertEqual(names(), ["able", "zealous"])
        self.assertEqual(names("--sort", "calls"), ["zealous", "able"])
        self.refused(["top", "--sort", "nme"], 2, "did you mean name")


if __name__ == "__main__":
    unittest.main()
