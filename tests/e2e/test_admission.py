# SPDX-License-Identifier: Apache-2.0
"""Programs whose domains are promised more than there is: refused in one sentence, or let in one after the other."""
import signal
import subprocess
import unittest

from support import EndToEndTest, python
from waiting import wait_until

SENTENCE = "pegasus: waiting for an accelerator: "


class Admission(EndToEndTest):
    MEBIBYTES = 128

    def serve(self, admission, **domains):
        """A daemon with one accelerator of 128 MiB, and what its domains are promised."""
        self.daemon = self.start_daemon(options=["--accelerator", "software", "--memory", f"{self.MEBIBYTES}M",
                                                 "--admission", admission])
        for name, promise in domains.items():
            self.daemon.ask("set", "--create", name, promise)

    def holds(self, domain):
        """A program that is there until it is told to end."""
        return self.guest(self.daemon, python("client_idle.py"), domain=domain, stdin=subprocess.PIPE)

    def end(self, program):
        program.popen.stdin.close()
        self.assertStatus(program, 0)

    def ready(self, program):
        wait_until(lambda: "ready" in program.out or not program.runs(), 60, lambda: f"it is let in: {program}")
        self.assertTrue(program.runs(), str(program))

    def waits(self, program):
        wait_until(lambda: SENTENCE in program.err or not program.runs(), 60, lambda: f"it waits: {program}")
        self.assertEqual(program.out, "")

    def line(self):
        """The domains that wait, by --why; the one that came first in front."""
        placements = self.daemon.ask("accelerators", "--why")["placements"]
        waiting = [one for one in placements if one["state"] == "waits"]
        return [one["domain"] for one in sorted(waiting, key=lambda one: -one["for_s"])]

    def refusal(self, domain):
        program = self.guest(self.daemon, python("client_idle.py"), domain=domain)
        self.assertNotEqual(program.ended(60), 0, str(program))
        sentence, = [line for line in program.err.splitlines() if line.startswith("pegasus: ")]
        return sentence

    def test_memory_is_refused_until_it_is_free(self):
        self.serve("refuse", first="memory=96M", second="memory=64M")
        first = self.holds("first")
        self.ready(first)
        self.assertEqual(self.refusal("second"),
                         "pegasus: the accelerator daemon refused this program: domain second needs 64M of accelerator "
                         "memory; 32M is free: end a program of another domain, set less, or start pegasusd "
                         "with --admission wait")
        refused, = [one for one in self.daemon.ask("accelerators", "--why")["placements"] if one["state"] == "refused"]
        self.assertEqual((refused["domain"], refused["accelerator"]), ("second", None))
        self.assertIn("needs 64M", refused["why"])
        self.ready(self.holds("first"))  # a second program of a domain that is in
        self.ready(self.holds("without"))  # nothing was promised to it
        self.end(first)
        self.assertIn("needs 64M", self.refusal("second"))  # the other one of `first` is there still

    def test_an_slo_is_refused(self):
        self.serve("refuse", first="slo=0.7", second="slo=0.4", third="slo=0.3")
        self.ready(self.holds("first"))
        self.assertIn("domain second needs 0.400 of an accelerator's time; 0.300 is not reserved",
                      self.refusal("second"))
        self.ready(self.holds("third"))

    def test_one_domain_after_the_other_is_not_refused(self):
        """The worker of a program that has ended may live a moment longer than the program."""
        self.serve("refuse", first=f"memory={self.MEBIBYTES}M", second=f"memory={self.MEBIBYTES}M")
        for name in ("first", "second") * 4:
            self.assertStatus(self.guest(self.daemon, python("client_idle.py"), domain=name), 0)

    def test_a_program_waits_and_goes_on_by_itself(self):
        self.serve("wait", first="memory=96M", second="memory=64M")
        first = self.holds("first")
        self.ready(first)
        second, another = self.holds("second"), self.holds("second")
        for program in (second, another):
            self.waits(program)
        self.assertEqual(self.line(), ["second"])
        waiting, = [one for one in self.daemon.ask("accelerators", "--why")["placements"] if one["state"] == "waits"]
        self.assertIn("needs 64M of accelerator memory; 32M is free", waiting["why"])
        self.assertIn("waits for", self.daemon.ctl("accelerators", "--why").stdout)
        self.end(first)
        for program in (second, another):
            self.ready(program)
            self.assertEqual(program.err.count("pegasus:"), 1, str(program))
            self.assertIn(SENTENCE + "domain second needs 64M of accelerator memory", program.err)
        self.assertEqual(self.line(), [])

    def test_a_domain_in_use_may_be_promised_what_it_has_and_what_is_free(self):
        self.serve("refuse", other="memory=32M")
        holds = self.guest(self.daemon, python("client_hold.py"), domain="first", stdin=subprocess.PIPE)
        wait_until(lambda: "holds" in holds.out, 60, lambda: f"it takes what it can: {holds}")
        other = self.holds("other")
        self.ready(other)
        self.daemon.ask("set", "first", f"memory={self.MEBIBYTES - 32}M")
        refused = self.daemon.ctl("set", "first", f"memory={self.MEBIBYTES}M")
        self.assertEqual(refused.returncode, 4)
        self.assertIn("96M is free on its accelerator 0: set less", refused.stderr)

    def test_three_go_in_the_order_in_which_they_came(self):
        self.serve("wait", first="memory=96M", second="memory=112M", third="memory=32M")
        first = self.holds("first")
        self.ready(first)
        second = self.holds("second")
        self.waits(second)
        third = self.holds("third")  # 32M are free, and would be missed by the second
        self.waits(third)
        self.assertEqual(self.line(), ["second", "third"])
        self.end(first)
        self.ready(second)
        self.assertEqual((third.out, self.line()), ("", ["third"]))
        self.end(second)
        self.ready(third)
        self.end(third)
        self.daemon.wait_until_clean()

    def test_a_program_that_is_ended_leaves_the_line(self):
        self.serve("wait", first="memory=96M", second="memory=112M", third="memory=32M")
        self.ready(self.holds("first"))
        second = self.holds("second")
        self.waits(second)
        third = self.holds("third")
        self.waits(third)
        second.send(signal.SIGTERM)
        self.assertStatus(second, -signal.SIGTERM)
        self.ready(third)
        self.assertEqual(self.line(), [])


if __name__ == "__main__":
    unittest.main()
