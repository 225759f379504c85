# SPDX-License-Identifier: Apache-2.0
"""pegasusctl against a running daemon: what it shows, what it changes, what it refuses."""
import json
import re
import signal
import unittest

from load import Load
from support import BUILD, EndToEndTest, Program, workload
from waiting import wait_until

POLICIES = ("none", "rr", "accc")


class Control(EndToEndTest):
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

    def test_domains(self):
        self.assertEqual(self.daemon.ask("domains")["domains"], [])
        self.daemon.ask("set", "--create", "d1", "credits=512")
        self.assertPassed(self.guest(self.daemon, [workload("throttle"), "--seconds", "0.3"], domain="d1"))
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

    def test_copied_bytes(self):
        self.assertPassed(self.guest(self.daemon, [workload("vector_add"), "--elements", "1000000"], domain="d1"))
        vectors = 3 * 4 * 1_000_000  # two in, one out
        copied = self.daemon.domains()["d1"]["copied_bytes"]
        self.assertGreaterEqual(copied, vectors)
        self.assertLess(copied, vectors + (1 << 20))
        self.daemon.ctl("reset")
        self.assertEqual(self.daemon.domains()["d1"]["copied_bytes"], 0)

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

    def test_top(self):
        self.daemon.ask("set", "--create", "d1", "credits=100")
        answer = self.daemon.ctl("top", "--count", "3", "--interval", "50ms", "--json")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        lines = answer.stdout.splitlines()
        self.assertEqual(len(lines), 3)
        for line in lines:
            self.assertIn("d1", json.dumps(json.loads(line)))
        self.assertEqual(self.daemon.ctl("top", "-c", "2", "-i", "50ms").stdout.count("d1"), 2)

    def test_top_on_a_terminal_has_keys(self):
        self.daemon.ask("set", "--create", "small", "credits=100")
        self.daemon.ask("set", "--create", "large", "credits=100")
        self.assertPassed(self.guest(self.daemon, [workload("throttle"), "--seconds", "0.3"], domain="small"))
        top = self.daemon.with_keys("top", "-i", "3600s")
        self.addCleanup(top.close)
        self.assertTrue(top.sees("by name") and top.sees("small"), top.shown)
        self.assertLess(top.shown.index("large"), top.shown.index("small"))
        top.press("s")
        self.assertTrue(top.sees("by now"), top.shown)
        top.press("\x1b[A")  # an arrow
        top.press("h")
        self.assertTrue(top.sees("NOW is a domain's part"), top.shown)
        self.daemon.ask("set", "--create", "newcomer", "credits=100")
        top.press(" ")
        self.assertTrue(top.sees("newcomer"), top.shown)
        top.press("q")
        self.assertEqual(top.end(), 0)
        self.assertTrue(top.shown.endswith("\x1b[?1049l"), top.shown)
        self.assertEqual(top.settings(), top.before)

    def test_top_gives_the_terminal_back_when_it_is_interrupted(self):
        top = self.daemon.with_keys("top")
        self.addCleanup(top.close)
        self.assertTrue(top.sees("by name"), top.shown)
        self.assertNotEqual(top.settings(), top.before)
        top.press("\x03")
        self.assertEqual(top.end(), -signal.SIGINT)
        self.assertEqual(top.settings(), top.before)

    def test_top_is_ordered(self):
        self.assertPassed(self.guest(self.daemon, [workload("throttle"), "--seconds", "0.3"], domain="zealous"))
        self.daemon.ask("set", "--create", "able", "credits=100")
        names = lambda *words: re.findall("able|zealous", self.daemon.ctl("top", "-c", "1", *words).stdout)
        self.assertEqual(names(), ["able", "zealous"])
        self.assertEqual(names("--sort", "calls"), ["zealous", "able"])
        self.refused(["top", "--sort", "nme"], 2, "did you mean name")

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

    def test_version(self):
        version = self.daemon.ask("version")
        self.assertEqual(version["pegasusd"]["version"], version["pegasusctl"])
        self.assertEqual(version["pegasusd"]["pid"], self.daemon.pid)

    def test_usage(self):
        self.refused(["frobnicate"], 2, "frobnicate", "policies", "domains", "top")
        self.refused(["--frobnicate", "domains"], 2, "--daemon", "--json")
        self.refused([], 2, "policies")
        self.refused(["log", "-n", "-1"], 2, "--entries")
        self.refused(["top", "-i", "0", "-c", "1"], 2, "--interval")

    def test_no_daemon(self):
        for words in (["domains"], ["--json", "domains"], ["version"]):
            program = self.start([BUILD / "bin" / "pegasusctl", "--daemon", self.runtime / "none", *words])
            self.assertStatus(program, 3, within=2)
            self.assertOneSentence(program, "no pegasusd is running", "--daemon")

    def test_two_daemons_in_one_directory(self):
        second = Program([BUILD / "bin" / "pegasusd", "--directory", self.daemon.directory], self.environment)
        self.addCleanup(second.close)
        self.assertStatus(second, 1, within=10)
        self.assertIn("another pegasusd already serves", second.err)
        self.assertEqual(self.daemon.ask("policy")["name"], "accc")


class LiveSwitch(EndToEndTest):
    def test_ten_switches_under_load_lose_no_call(self):
        daemon = self.start_daemon()
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

    def test_credits_change_live(self):
        daemon = self.start_daemon()
        with Load(daemon, {name: [workload("throttle"), "--seconds", "2"] for name in ("a", "b")}):
            daemon.ask("set", "a", "credits=3000")
            daemon.ask("set", "b", "credits=1000")
            self.assertAlmostEqual(daemon.domains()["a"]["target_share"], 0.75, places=3)


if __name__ == "__main__":
    unittest.main()
