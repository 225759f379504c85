# SPDX-License-Identifier: Apache-2.0
"""What a domain has of the accelerator at least and at most, in real time, under the default policy."""
import os
import time
import unittest

from support import EndToEndTest, workload
from waiting import wait_until

SECONDS = 4
GREEDY = [workload("throttle"), "--rounds", "20000", "--sync-every", "64", "--seconds", "40"]


class Parts(EndToEndTest):
    def serve(self, **domains):
        """A program without end in each domain, with these options of `pegasus run`; returns them and the daemon."""
        daemon = self.start_daemon(options=["--accelerator", "software"])
        programs = [self.guest(daemon, GREEDY, domain=name, options=options) for name, options in domains.items()]
        for name in domains:
            wait_until(lambda d=name: any(task["calls"] > 64 for task in daemon.tasks(d)), 60, f"{name} launches kernels")
        return daemon, programs

    def parts(self, daemon):
        """The parts of the time that passed."""
        began, before = time.monotonic(), daemon.domains()
        time.sleep(SECONDS)
        passed, after = time.monotonic() - began, daemon.domains()
        return {name: (after[name]["device_busy_ns"] - before[name]["device_busy_ns"]) / (passed * 1e9) for name in after}

    def conditions(self, parts):
        return f"{parts}; load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"

    def test_a_domain_of_few_credits_has_its_slo(self):
        daemon, programs = self.serve(few=["--credits", "64", "--slo", "0.6"], many=["--credits", "1024"])
        parts = self.parts(daemon)
        self.assertAlmostEqual(parts["few"], 0.6, delta=0.05, msg=self.conditions(parts))
        self.assertGreater(parts["many"], 0.25, self.conditions(parts))
        for name, domain in daemon.domains().items():
            self.assertEqual(domain["conduct"]["killed_tasks"], 0, name)
            self.assertFalse(domain["conduct"]["capped"], name)
        for program in programs:
            self.assertTrue(program.runs(), str(program))
        self.assertEqual(daemon.domains()["many"]["conduct"]["barred_ns"], 0)
        daemon.ask("set", "few", "slo=0")
        time.sleep(1)  # what it was ahead is paid
        parts = self.parts(daemon)
        self.assertAlmostEqual(parts["few"] / sum(parts.values()), 64 / (64 + 1024), delta=0.05, msg=self.conditions(parts))

    def test_a_domain_has_no_more_than_its_cap(self):
        daemon, programs = self.serve(capped=["--cap", "0.3"])
        parts = self.parts(daemon)
        self.assertAlmostEqual(parts["capped"], 0.3, delta=0.05, msg=self.conditions(parts))
        self.assertTrue(programs[0].runs(), str(programs[0]))
        daemon.ask("set", "capped", "cap=0")
        parts = self.parts(daemon)
        self.assertGreater(parts["capped"], 0.6, self.conditions(parts))


if __name__ == "__main__":
    unittest.main()
