# SPDX-License-Identifier: Apache-2.0
"""Domains' settings: what is set, what is refused, and domains that are removed."""
import unittest

from control import ControlTest
from load import Load
from support import workload
from waiting import wait_until


class Settings(ControlTest):
    def test_set(self):
        self.daemon.ask("set", "--create", "d1", "credits=100", "memory=64M", "slo=0.5")
        domain = self.daemon.domains()["d1"]
        self.assertEqual(domain["latency_slice_ns"], 0)
        self.assertEqual((domain["credits"], domain["memory_limit_bytes"], domain["slo"]), (100, 64 << 20, 0.5))
        self.daemon.ask("set", "d1", "credits=65535")
        domain = self.daemon.domains()["d1"]
        self.assertEqual((domain["credits"], domain["memory_limit_bytes"], domain["slo"]), (65535, 64 << 20, 0.5))
        self.refused(["set", "d1", "cap=0.25"], 2, "slo=0.5 is more than cap=0.25", "set slo= to 0.25 or less")
        self.daemon.ask("set", "d1", "slo=0", "cap=0.25")
        self.assertEqual(self.daemon.domains()["d1"]["cap"], 0.25)
        self.daemon.ask("set", "d1", "slo=0.25")
        self.refused(["set", "d1", "slo=0.5"], 2, "slo=0.5 is more than cap=0.25", "raise cap=")
        self.assertEqual(self.daemon.domains()["d1"]["slo"], 0.25)
        for latency, slice_ns in (("2ms", 2_000_000), ("100us", 100_000), ("1s", 1_000_000_000), ("0", 0)):
            self.daemon.ask("set", "d1", f"latency={latency}")
            self.assertEqual(self.daemon.domains()["d1"]["latency_slice_ns"], slice_ns)
        self.daemon.ask("set", "d1", "memory=0")
        accelerator = self.daemon.ask("accelerators")["accelerators"][0]
        self.assertEqual(self.daemon.domains()["d1"]["memory_limit_bytes"], accelerator["memory_bytes"])

    def test_set_refuses(self):
        self.daemon.ask("set", "--create", "d1", "credits=100")
        self.refused(["set", "other", "credits=1"], 2, "other", "d1")
        self.refused(["set", "--create", "../up", "credits=1"], 2, "letters, digits")
        self.refused(["set", "--create", "x" * 64, "credits=1"], 2, "1 to 63")
        for setting in ("credits=0", "credits=65536", "credits=-1", "credits=x", "credits="):
            self.refused(["set", "d1", setting], 2, "credits", "1 to 65535")
        for setting in ("memory=x", "memory=-1", "memory=1Z"):
            self.refused(["set", "d1", setting], 2, "64M")
        self.refused(["set", "d1", "memory=1024G"], 2, "memory=1T is more than the largest accelerator has: set ")
        self.refused(["set", "d1", "accelerator=1"], 2, "no accelerator 1", "this pegasusd has 1")
        self.refused(["set", "d1", "accelerator=one"], 2, "accelerator")
        for setting in ("slo=2", "slo=-1", "slo=nan"):
            self.refused(["set", "d1", setting], 2, "slo", "0 to 1")
        for setting in ("cap=1.1", "cap=-1", "cap=x"):
            self.refused(["set", "d1", setting], 2, "cap", "0 to 1")
        for setting in ("latency=2", "latency=", "latency=soon", "latency=-1ms", "latency=nan"):
            self.refused(["set", "d1", setting], 2, "latency", "2ms")
        for setting in ("latency=99us", "latency=1ns", "latency=1.001s", "latency=100s"):
            self.refused(["set", "d1", setting], 2, "latency", "100us to 1s")
        self.refused(["set", "d1", "speed=9"], 2, "speed", "credits=N", "memory=SIZE")
        self.refused(["set", "d1", "credits=2", "credits=3"], 2, "twice")
        self.refused(["set", "d1"], 2, "credits=N")
        self.assertEqual(list(self.daemon.domains()), ["d1"])
        self.assertEqual(self.daemon.domains()["d1"]["credits"], 100)
        self.assertEqual(self.daemon.domains()["d1"]["latency_slice_ns"], 0)

    def test_remove(self):
        self.daemon.ask("set", "--create", "d1", "credits=100")
        self.assertEqual(self.daemon.ask("remove", "d1"), {"domain": "d1", "done": True})
        self.assertEqual(self.daemon.domains(), {})
        self.refused(["remove", "d1"], 2, 'there is no domain "d1"; there are none yet')
        busy = self.guest(self.daemon, [workload("throttle"), "--seconds", "60"], domain="busy")
        beside = self.guest(self.daemon, [workload("throttle"), "--seconds", "1"], domain="beside")
        self.daemon.wait_for_task("busy")
        self.refused(["remove", "busy"], 4, "domain busy still has 1 task: remove it later, or add --kill")
        self.assertEqual(self.daemon.ctl("remove", "busy", "--kill").stdout, "")
        self.assertNotEqual(busy.ended(10), 0)
        wait_until(lambda: "busy" not in self.daemon.domains(), 10, "the domain is forgotten with its last task")
        self.assertPassed(beside)
        self.daemon.wait_until_clean()

    def test_credits_change_live(self):
        with Load(self.daemon, {name: [workload("throttle"), "--seconds", "2"] for name in ("a", "b")}):
            self.daemon.ask("set", "a", "credits=3000")
            self.daemon.ask("set", "b", "credits=1000")
            self.assertAlmostEqual(self.daemon.domains()["a"]["target_share"], 0.75, places=3)


if __name__ == "__main__":
    unittest.main()
