# SPDX-License-Identifier: Apache-2.0
"""Tests of pegasusctl against a running daemon."""
from support import EndToEndTest


class ControlTest(EndToEndTest):
    def setUp(self):
        super().setUp()
        self.daemon = self.start_daemon()

    def refused(self, words, status, *expected):
        for json_flag in ([], ["--json"]):
            answer = self.daemon.ctl(*words, *json_flag)
            self.assertEqual(answer.returncode, status, f"{words}: {answer}")
            self.assertEqual(answer.stdout, "")
            for text in expected:
                self.assertIn(text, answer.stderr)
        self.assertTrue(self.daemon.alive())
