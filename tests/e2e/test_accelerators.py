# SPDX-License-Identifier: Apache-2.0
"""Several accelerators behind one pegasusd: domains are spread over them, and each is scheduled by itself."""
import signal
import subprocess
import time
import unittest

from load import Load
from support import EndToEndTest, python, workload
from waiting import wait_until

# Queues full of kernels of a given length: shares do not hang on how soon a client gets a CPU.
GREEDY = [workload("throttle"), "--rounds", "20000", "--sync-every", "64"]

WEIGHT = r"weight [01]\.\d\d(, \d+ of \d+ credits at work)?"


class Accelerators(EndToEndTest):
    def setUp(self):
        super().setUp()
        self.daemon = self.start_daemon(options=["--accelerator", "software", "--software-accelerators", "2"])

    def on(self):
        return {name: domain["accelerator"] for name, domain in self.daemon.domains().items()}

    def queued(self, name):
        return any(task["calls"] > 64 for task in self.daemon.tasks(name))

    def test_they_are_listed(self):
        listed = self.daemon.ask("accelerators")["accelerators"]
        self.assertEqual([one["index"] for one in listed], [0, 1])
        self.assertEqual(len(self.daemon.ctl("accelerators").stdout.splitlines()), 3)

    def test_domains_are_spread_and_shares_hold_on_each(self):
        credits = {"large": 768, "small": 256, "alone": 512}
        for name, amount in credits.items():
            self.daemon.ask("set", "--create", name, f"credits={amount}")
        for name, accelerator in {"large": 0, "small": 0, "alone": 1}.items():
            self.daemon.ask("set", name, f"accelerator={accelerator}")
        with Load(self.daemon, {name: [*GREEDY, "--seconds", "6"] for name in credits}):
            wait_until(lambda: all(self.queued(name) for name in credits), 30, "three tasks launch kernels")
            before = self.daemon.domains()
            time.sleep(3)
            domains = self.daemon.domains()
            first, second = self.daemon.ask("accelerators")["accelerators"]
        used = {name: domains[name]["device_busy_ns"] - before[name]["device_busy_ns"] for name in credits}
        self.assertEqual({name: domain["accelerator"] for name, domain in domains.items()},
                         {"large": 0, "small": 0, "alone": 1})
        self.assertEqual((first["domains"], second["domains"]), (2, 1))
        self.assertEqual([domains[name]["target_share"] for name in credits], [0.75, 0.25, 1])
        self.assertEqual(domains["alone"]["received_share"], 1)
        self.assertAlmostEqual(used["large"] / (used["large"] + used["small"]), 0.75, delta=0.1)
        self.assertGreater(used["alone"], used["small"])  # has an accelerator for itself
        self.assertEqual({entry["accelerator"] for entry in self.daemon.ask("log", "-n", "0")["log"]}, {0, 1})
        self.daemon.wait_until_clean()

    def test_the_next_domain_goes_where_there_is_less(self):
        names = ["a", "b", "c", "d"]
        with Load(self.daemon, {name: [*GREEDY, "--seconds", "4"] for name in names}):
            wait_until(lambda: all(len(self.daemon.tasks(name)) == 1 for name in names), 30, "four tasks")
            self.assertEqual(sorted(self.on().values()), [0, 0, 1, 1])
            placements = self.daemon.ask("accelerators", "--why")["placements"]
        self.assertEqual({one["domain"]: one["accelerator"] for one in placements}, self.on())
        for one in placements:
            self.assertRegex(one["why"], rf"^0: {WEIGHT}; 1: {WEIGHT}$")

    def test_a_domain_that_does_nothing_repels_no_other(self):
        self.daemon.ask("set", "--create", "idle", "credits=1024", "accelerator=0")
        self.daemon.ask("set", "--create", "busy", "credits=512", "accelerator=1")
        idle = self.guest(self.daemon, python("client_idle.py"), domain="idle", stdin=subprocess.PIPE)
        wait_until(lambda: "ready" in idle.out, 30, "it has used the accelerator")

        def next_goes_to():
            self.assertStatus(self.guest(self.daemon, python("client_idle.py"), domain="next"), 0)
            return self.on()["next"]
        with Load(self.daemon, {"busy": [*GREEDY, "--seconds", "4"]}):
            wait_until(lambda: next_goes_to() == 0, 60, "the idle domain's accelerator is taken, whatever its credits")

    def test_memory_is_that_of_one_accelerator(self):
        memory = self.daemon.ask("accelerators")["accelerators"][0]["memory_bytes"]
        self.daemon.ask("set", "--create", "d1", "memory=0")
        self.assertEqual(self.daemon.domains()["d1"]["memory_limit_bytes"], memory)

    def test_a_policy_is_switched_on_all(self):
        self.daemon.ask("policy", "rr")
        self.assertEqual({one["policy"] for one in self.daemon.ask("accelerators")["accelerators"]}, {"rr"})


class CostOfSwitching(EndToEndTest):
    COST_US = 500

    def test_a_change_of_the_program_takes_its_time_and_is_charged_to_none(self):
        daemon = self.start_daemon(options=["--accelerator", "software", "--software-switch", f"{self.COST_US}us"],
                                   policy="none")
        programs = [self.guest(daemon, [*GREEDY, "--seconds", "3600"], domain=name) for name in ("a", "b")]
        for name in ("a", "b"):
            daemon.wait_for_task(name, calls=65)
        daemon.ask("reset")
        before = daemon.ask("accelerators")["accelerators"][0]

        def changed_often():
            now = daemon.ask("accelerators")["accelerators"][0]
            return now["switches"] >= before["switches"] + 500 and now
        after = wait_until(changed_often, 60, "the programs take turns")
        domains = daemon.ask("domains")
        self.assertEqual(after["switch_cost_ns"], self.COST_US * 1000)
        self.assertGreaterEqual(after["switching_ns"], after["switches"] * self.COST_US * 1000)
        busy = sum(domain["device_busy_ns"] for domain in domains["domains"])
        self.assertLess(busy, domains["elapsed_ns"] - (after["switches"] - before["switches"]) * self.COST_US * 1000)
        for program in programs:
            program.send(signal.SIGUSR1)  # it ends early, and verifies what it did
            self.assertPassed(program)


if __name__ == "__main__":
    unittest.main()
