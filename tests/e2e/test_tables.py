# SPDX-License-Identifier: Apache-2.0
"""What pegasusctl shows of domains, accelerators and time slices."""
import re
import unittest

from control import ControlTest
from load import Load
from support import workload
from waiting import wait_until


class Tables(ControlTest):
    def test_domains(self):
        self.assertEqual(self.daemon.ask("domains")["domains"], [])
        self.daemon.ask("set", "--create", "d1", "credits=512")
        self.assertPassed(self.guest(self.daemon, [workload("throttle"), "--seconds", "0.3"], domain="d1"))
        self.daemon.wait_until_gone("d1")
        domain = self.daemon.domains()["d1"]
        self.assertEqual(domain["credits"], 512)
        self.assertGreater(domain["device_busy_ns"], 50e6)
        self.assertGreater(domain["calls"], domain["sync_calls"])
        self.assertGreater(domain["sync_calls"], 10)
        self.assertGreater(domain["latency_us"]["p99"], 0)
        self.assertGreater(domain["sync_calls_ns"], 0)
        self.assertGreater(domain["service"]["wanted_ns"], 50e6)
        self.assertEqual((domain["tasks"], domain["target_share"]), ([], 0))
        self.assertEqual(domain["memory_used_bytes"], 0)
        self.assertIn("d1", self.daemon.ctl("domains").stdout)

    def test_a_domain_of_which_there_is_nothing_to_tell_has_no_row(self):
        for name in ("once", "set"):
            self.assertPassed(self.guest(self.daemon, [workload("vector_add")], domain=name))
            self.daemon.wait_until_gone(name)
        self.daemon.ask("set", "set", "credits=100")
        self.daemon.ask("reset")
        table = self.daemon.ctl("domains").stdout
        self.assertRegex(table, r"(?m)^set .* no task$")
        self.assertNotIn("once", table)
        self.assertIn("and 1 domain without tasks, settings and share", table)
        self.assertIn("once", self.daemon.domains())

    def test_copied_bytes(self):
        self.assertPassed(self.guest(self.daemon, [workload("vector_add"), "--elements", "1000000"], domain="d1"))
        vectors = 3 * 4 * 1_000_000  # two in, one out
        copied = self.daemon.domains()["d1"]["copied_bytes"]
        self.assertGreaterEqual(copied, vectors)
        self.assertLess(copied, vectors + (1 << 20))
        self.daemon.ctl("reset")
        self.assertEqual(self.daemon.domains()["d1"]["copied_bytes"], 0)

    def test_accelerators(self):
        only, = self.daemon.ask("accelerators")["accelerators"]
        self.assertEqual((only["kind"], only["compute_capability"]), ("software", "7.5"))
        self.assertEqual((only["index"], only["domains"], only["utilization"]), (0, 0, 0))
        self.assertEqual((only["memory_used_bytes"], only["tasks"]), (0, 0))
        self.assertGreaterEqual(only["memory_bytes"], 64 << 20)
        self.assertIn(only["name"], self.daemon.ctl("accelerators").stdout)

    def test_log(self):
        self.assertEqual(self.daemon.ask("log")["log"], [])
        with Load(self.daemon, {name: [workload("throttle"), "--seconds", "0.5"] for name in ("a", "b")}):
            wait_until(lambda: len(self.daemon.ask("log", "-n", "0")["log"]) >= 20, 30, "twenty time slices")
        everything = self.daemon.ask("log", "-n", "0")["log"]
        self.assertLessEqual({"a", "b"}, {name for entry in everything for name in entry["domains"]})
        self.assertEqual({entry["policy"] for entry in everything}, {"accc"})
        starts = [entry["at_ns"] for entry in everything]
        self.assertEqual(starts, sorted(starts))
        for entry in everything:
            self.assertTrue(entry["ended"])
            self.assertGreater(entry["ran_ns"], 0)
        self.assertEqual(len(self.daemon.ask("log", "-n", "5")["log"]), 5)
        self.assertEqual(len(self.daemon.ask("log")["log"]), 20)

    def test_tables_give_way_on_a_narrow_terminal(self):
        for name in ("d1", "of_a_student_with_a_long_name"):
            self.daemon.ask("set", "--create", name, "memory=64M")
            self.assertPassed(self.guest(self.daemon, [workload("throttle"), "--seconds", "0.3"], domain=name))
        self.daemon.ask("set", "--create", "d2", "credits=100")
        for words in (["policies"], ["domains"], ["accelerators"], ["accelerators", "--why"], ["log"], ["top", "-c", "1"]):
            whole = self.daemon.ctl(*words).stdout
            titles = re.findall(r"[A-Z0-9#]+(?: [a-z]+)?", whole.splitlines()[1 if words[0] == "top" else 0])
            for columns in (60, 80):
                with self.subTest(words=words, columns=columns):
                    status, lines = self.daemon.on_a_terminal(columns, *words)
                    self.assertEqual(status, 0)
                    self.assertLessEqual(max(map(len, lines)), columns)
                    narrow = " ".join(lines)
                    for title in titles:  # a column is there, or named as left out
                        self.assertIn(title, narrow)
                    if max(map(len, whole.splitlines())) > 2 * columns:
                        self.assertIn("--wide", narrow)
            with self.subTest(words=words, wide=True):
                _, lines = self.daemon.on_a_terminal(60, *words, "--wide")
                self.assertNotIn("left out", " ".join(lines))


if __name__ == "__main__":
    unittest.main()
