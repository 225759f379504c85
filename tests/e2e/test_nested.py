# SPDX-License-Identifier: Apache-2.0
"""A guest that divides its part of the accelerator by itself (nested/)."""
import shutil
import signal
import unittest
from pathlib import Path

from support import BUILD, EndToEndTest, workload
from totals import Observer
from waiting import wait_until

SCHEDULER = BUILD / "bin" / "nested-scheduler"
# As many kernels as the call buffer takes, all of one length. A program that waited for them would be idle for as long as a
# busy machine gives it no CPU, and an idle program has no claim to what it did not use.
QUEUED = ("--rounds", "5000", "--blocks", "1", "--sync-every", "1000000")


def state_of(process):
    """'T': stopped."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]


class Nested(EndToEndTest):
    def setUp(self):
        super().setUp()
        self.daemon = self.start_daemon()
        self.heavy = self.directory / "heavy"
        shutil.copy(workload("throttle"), self.heavy)

    def schedule(self, *words, domain="mine"):
        return self.start([SCHEDULER, *words], environment=self.daemon.environment_of_guest(domain))

    def run_both(self, seconds, kernels=("--microseconds", "1000"), domain="mine"):
        """A program called heavy, and throttle."""
        heavy, light = [self.guest(self.daemon, [program, *kernels, "--seconds", str(seconds)], domain=domain)
                        for program in (self.heavy, workload("throttle"))]
        wait_until(lambda: len([task for task in self.daemon.tasks(domain) if task["calls"] >= 64]) == 2, 30, "both to call")
        return heavy, light

    def ratio(self, observer, heavy, light, nanoseconds, at=lambda: None):
        """Of the device time of both, over so much of it; at() waits for the moment at which that begins or ends."""
        def used():
            by_process = {task[1]: task[2] for task in observer.totals()}
            return [by_process[program.pid] for program in (heavy, light)]
        at()
        begin = used()
        wait_until(lambda: sum(used()) - sum(begin) >= nanoseconds, 60, "device time")
        at()
        end = used()
        return (end[0] - begin[0]) / max(1, end[1] - begin[1])

    def test_weights_within_a_guest(self):
        observer = Observer(self.daemon, "mine")
        self.addCleanup(observer.close)
        heavy, light = self.run_both(seconds=3600, kernels=QUEUED)
        self.assertTrue(0.7 < (ratio := self.ratio(observer, heavy, light, 10**9)) < 1.4, ratio)
        scheduler = self.schedule("heavy=3")

        def even():  # what it had queued when it was stopped is used up, and the other has caught up
            wait_until(lambda: state_of(light.pid) == "T", 30, "a program that is ahead to be stopped")
            wait_until(lambda: state_of(light.pid) != "T", 30, "it to be continued")
        self.assertTrue(2.4 < (ratio := self.ratio(observer, heavy, light, 2 * 10**9, at=even)) < 3.6, ratio)
        scheduler.popen.send_signal(signal.SIGTERM)
        self.assertStatus(scheduler, 0)
        self.assertNotIn("T", {state_of(program.pid) for program in (heavy, light)})
        self.assertTrue(0.7 < (ratio := self.ratio(observer, heavy, light, 10**9)) < 1.4, ratio)

    def test_programs_verify_and_it_shows_them(self):
        scheduler = self.schedule("--show", "--lag", "1ms", "heavy=2")
        for program in self.run_both(seconds=3):
            self.assertPassed(program)
        scheduler.popen.send_signal(signal.SIGINT)
        self.assertStatus(scheduler, 0)
        self.assertRegex(scheduler.out, r"heavy +process \d+ +weight 2 +\d+\.\d %")
        self.assertEqual(scheduler.err, "")

    def test_other_domains_are_left_alone(self):
        self.schedule("heavy=0.001", domain="other")
        heavy, light = self.run_both(seconds=2)
        self.assertPassed(heavy)
        self.assertPassed(light)

    def test_a_daemon_that_is_gone(self):
        scheduler = self.schedule()
        wait_until(lambda: "mine" in self.daemon.domains(), 10, "it to be connected")
        self.daemon.terminate()
        self.assertStatus(scheduler, 3)
        self.assertOneSentence(scheduler, "pegasusd hung up")
        scheduler = self.schedule()
        self.assertStatus(scheduler, 3)
        self.assertOneSentence(scheduler, "no accelerator daemon", "start pegasusd")

    def test_bad_words(self):
        for words in (["heavy"], ["=1"], ["heavy=0"], ["heavy=nan"], ["heavy=1x"], ["--lag", "0"], ["--nothing"]):
            scheduler = self.schedule(*words)
            self.assertStatus(scheduler, 2)
            self.assertIn(words[-1] if "=" in words[-1] or words[-1] == "heavy" else words[0], scheduler.err)


if __name__ == "__main__":
    unittest.main()
