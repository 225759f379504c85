# SPDX-License-Identifier: Apache-2.0
"""Policies and their tunables: what there are, what is switched live, what is refused."""
import unittest

from control import ControlTest
from load import Load
from support import workload
from waiting import wait_until

POLICIES = ("none", "rr", "accc")


class Policies(ControlTest):
    def test_policies(self):
        listed = self.daemon.ask("policies")["policies"]
        self.assertLessEqual(set(POLICIES), {policy["name"] for policy in listed})
        self.assertEqual([policy["name"] for policy in listed if policy["active"]], ["accc"])
        for policy in listed:
            self.assertTrue(policy["summary"])
        exclusive = {policy["name"]: policy["exclusive"] for policy in listed}
        self.assertEqual((exclusive["accc"], exclusive["none"]), (True, False))
        table = self.daemon.ctl("policies").stdout
        for name in POLICIES:
            self.assertIn(name, table)

    def test_policy_is_shown_and_switched(self):
        self.assertEqual(self.daemon.ask("policy")["name"], "accc")
        for name in (*POLICIES, "rr"):
            self.assertEqual(self.daemon.ask("policy", name)["name"], name)
            self.assertEqual(self.daemon.ask("policy")["name"], name)
            self.assertEqual(self.daemon.ask("domains")["policy"], name)

    def test_a_switch_of_the_policy_and_a_reset_restart_the_counts(self):
        for command, since in ((["policy", "rr"], "the policy was switched"), (["reset"], "a reset")):
            self.assertPassed(self.guest(self.daemon, [workload("vector_add")], domain="dom1"))
            before = self.daemon.ask("domains")
            self.assertNotEqual(before["since"], since)
            self.assertGreater(before["domains"][0]["calls"], 0)
            self.assertGreater(before["domains"][0]["device_busy_ns"], 0)
            self.daemon.ask(*command)
            after = self.daemon.ask("domains")
            self.assertEqual(after["since"], since)
            self.assertLess(after["elapsed_ns"], before["elapsed_ns"])
            counted = after["domains"][0]
            self.assertEqual((counted["calls"], counted["device_busy_ns"], counted["received_share"]), (0, 0, 0))

    def test_what_is_set_of_a_policy(self):
        fair = self.daemon.ask("policy", "fair", "slice=2ms", "host_weight=0.5")["tunables"]
        self.assertEqual((fair["slice"]["value"], fair["host_weight"]["value"]), ("2ms", "0.5"))
        self.assertEqual(fair["tick"]["value"], fair["tick"]["usual"])
        self.assertIn("slice=2ms", self.daemon.ctl("policies").stdout)
        self.assertPassed(self.guest(self.daemon, [workload("throttle"), "--seconds", "0.3"]))
        self.assertEqual(self.daemon.ask("policy", "fair:slice=2ms,host_weight=0.5")["tunables"], fair)
        self.assertEqual(self.daemon.ask("policy", "fair")["tunables"]["slice"]["value"], "0s")

    def test_what_cannot_be_set_of_a_policy(self):
        self.refused(["policy", "accc", "slice=2ms"], 2, "slice", "tick", "host_weight")
        self.refused(["policy", "fair", "slice=2"], 2, "slice=2", "0s to 1s")
        self.refused(["policy", "fair", "tick"], 2, "tick=10ms")
        self.assertEqual(self.daemon.ask("policy")["name"], "accc")

    def test_unknown_policy(self):
        self.refused(["policy", "fastest"], 2, "fastest", *POLICIES)
        self.refused(["policy", "rr\x1b[2J"], 2, "rr?[2J")
        self.assertEqual(self.daemon.ask("policy")["name"], "accc")

    def test_ten_switches_under_load_lose_no_call(self):
        daemon = self.daemon
        # throttle's chain of steps and null_calls' counter show a call that was lost or made twice.
        commands = {"a": [workload("throttle"), "--seconds", "1"],
                    "b": [workload("throttle"), "--seconds", "1", "--microseconds", "3000"],
                    "c": [workload("null_calls"), "--calls", "5000", "--launch-every", "10"],
                    "d": [workload("streams_overlap")]}
        with Load(daemon, commands) as load:
            for switch in range(10):
                name = POLICIES[switch % len(POLICIES)]
                daemon.ask("policy", name)
                before = {domain: daemon.domains()[domain]["calls"] for domain in ("a", "b")}

                def both_go_on(before=before):
                    now = daemon.domains()
                    return all(now[domain]["calls"] > calls + 20 for domain, calls in before.items())

                wait_until(both_go_on, 20, f"calls go on under {name}")
                load.check()
        seen = {entry["policy"] for entry in daemon.ask("log", "-n", "0")["log"]}
        self.assertLessEqual(set(POLICIES), seen)
        daemon.wait_until_clean()


if __name__ == "__main__":
    unittest.main()
