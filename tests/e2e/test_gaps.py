# SPDX-License-Identifier: Apache-2.0
"""A program that computes between its calls keeps its part beside long kernels, under the default policy and not without one
(in virtual time, and for many more cases: test_progress.py)."""
import time
import unittest

from support import EndToEndTest, workload
from waiting import wait_until

# About 0.1 ms on the CPU, and a call of 0.1 ms that it waits for.
GAPS = [workload("coupled"), "--launches", "1", "--rounds", "5000", "--cpu-rounds", "150000", "--in-turn", "1"]
# Kernels of several milliseconds, one block each: they are not interrupted.
LONG = [workload("throttle"), "--rounds", "1000000", "--blocks", "1", "--sync-every", "1"]
SECONDS = 5


def calls_per_second(daemon, names):
    first, began = daemon.domains(), time.monotonic()
    time.sleep(SECONDS)
    last, took = daemon.domains(), time.monotonic() - began
    return {name: (last[name]["calls"] - first[name]["calls"]) / took for name in names}


class Gaps(EndToEndTest):
    def begin(self, daemon, name, command):
        program = self.guest(daemon, [*command, "--seconds", "3600"], domain=name)
        wait_until(lambda: any(task["calls"] > 50 for task in daemon.tasks(name)), 60, f"{name} launches kernels")
        return program

    def test_each_of_two_keeps_its_part(self):
        daemon = self.start_daemon(policy="eevdf:hold=auto")
        alone = {}
        for name, command in (("gaps", GAPS), ("long", LONG)):
            program = self.begin(daemon, name, command)
            alone |= calls_per_second(daemon, [name])
            program.close()
        for name, command in (("gaps", GAPS), ("long", LONG)):
            self.begin(daemon, name, command)
        kept = {}
        for policy in ("eevdf hold=auto", "none"):
            daemon.ask("policy", *policy.split())
            kept[policy] = {name: calls / alone[name] for name, calls in calls_per_second(daemon, alone).items()}
            print(policy, {name: round(part, 3) for name, part in kept[policy].items()}, flush=True)
        # 0.45 is promised; programs and pegasusd also share the machine's CPUs, and "alone" is another moment's.
        self.assertGreater(min(kept["eevdf hold=auto"].values()), 0.25)
        self.assertLess(kept["none"]["gaps"], 0.2)


if __name__ == "__main__":
    unittest.main()
