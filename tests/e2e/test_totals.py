# SPDX-License-Identifier: Apache-2.0
"""What a guest may read of its own tasks, and that it may only read."""
import errno
import mmap
import os
import unittest

from raw_guest import NEWEST
from support import EndToEndTest, workload
from totals import MAGIC, Observer
from waiting import wait_until


class Totals(EndToEndTest):
    def setUp(self):
        super().setUp()
        self.daemon = self.start_daemon()

    def observe(self, domain):
        observer = Observer(self.daemon, domain)
        self.addCleanup(observer.close)
        return observer

    def throttle(self, domain):
        return self.guest(self.daemon, [workload("throttle"), "--seconds", "60"], domain=domain)

    def test_a_guest_sees_its_tasks_and_no_others(self):
        observer = self.observe("mine")
        self.assertEqual(observer.error, 0, observer.message)
        magic, version, _, tasks, unlisted, _, _ = observer.header()
        self.assertEqual((magic, version, tasks, unlisted), (MAGIC, NEWEST, 0, 0))
        mine = [self.throttle("mine") for _ in range(2)]
        self.throttle("other")
        used = wait_until(lambda: [t for t in observer.totals() if t[2] > 50_000_000], 20, "device time")
        self.assertLessEqual({task[1] for task in used}, {program.pid for program in mine})
        wait_until(lambda: len(observer.totals()) == 2, 10, "both tasks")
        self.assertEqual({task[1] for task in observer.totals()}, {program.pid for program in mine})
        for program in mine:
            program.popen.kill()
        wait_until(lambda: observer.totals() == [], 10, "the tasks to be gone")

    def test_totals_agree_with_what_the_operator_sees(self):
        observer = self.observe("mine")
        program = self.guest(self.daemon, [workload("throttle"), "--seconds", "2"], domain="mine")
        highest = 0
        while program.popen.poll() is None:
            highest = max([highest, *(task[2] for task in observer.totals())])
        self.assertPassed(program)
        charged = self.daemon.domains()["mine"]["device_busy_ns"]
        self.assertLessEqual(highest, charged)
        self.assertGreater(highest, 0.8 * charged)

    def test_idle_domains_are_looked_at_seldom(self):
        observer = self.observe("mine")
        before = observer.updates()
        wait_until(lambda: observer.updates() >= before + 10, 10, "updates")
        self.throttle("mine")
        wait_until(lambda: any(task[3] for task in observer.totals()), 20, "a task that calls")

    def test_it_can_only_be_read(self):
        observer = self.observe("mine")
        with self.assertRaises(PermissionError):
            mmap.mmap(observer.descriptor, 4096)
        with self.assertRaises(PermissionError):
            os.write(observer.descriptor, b"x")
        with self.assertRaises(PermissionError):
            os.ftruncate(observer.descriptor, 0)
        again = os.open(f"/proc/self/fd/{observer.descriptor}", os.O_RDWR)
        self.addCleanup(os.close, again)
        with self.assertRaises(PermissionError):
            mmap.mmap(again, 4096)

    def test_a_domain_has_few_observers(self):
        observers = [self.observe("mine") for _ in range(5)]
        self.assertEqual([observer.error for observer in observers], [0, 0, 0, 0, errno.EAGAIN])
        self.assertIn("the limit per domain: end one", observers[4].message)
        observers[0].close()
        wait_until(lambda: self.observe("mine").error == 0, 10, "a place")
        others = [self.observe(f"d{i}") for i in range(20)]
        refused = [observer for observer in others if observer.error]
        self.assertTrue(refused)
        self.assertIn("the limit per user: end one", refused[0].message)
        self.assertPassed(self.guest(self.daemon, [workload("vector_add"), "--elements", "1000"]))

    def test_observers_leave_nothing(self):
        for _ in range(20):
            self.observe("mine").close()
        self.daemon.wait_until_clean()

    def test_a_removed_domain_hangs_up(self):
        observer = self.observe("mine")
        self.throttle("mine")
        self.daemon.wait_for_task("mine")
        answer = self.daemon.ctl("remove", "mine", "--kill")
        self.assertEqual(answer.returncode, 0, answer)
        self.assertTrue(observer.hung_up())
        wait_until(lambda: self.daemon.ctl("remove", "mine").returncode != 0, 10, "the domain to be gone")

    def test_pegasusd_that_ends_hangs_up(self):
        observer = self.observe("mine")
        self.daemon.terminate()
        self.assertTrue(observer.hung_up())


if __name__ == "__main__":
    unittest.main()
