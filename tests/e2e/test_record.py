# SPDX-License-Identifier: Apache-2.0
"""`pegasusctl record` of a running daemon, and pegasus-sim's replay of it."""
import json
import subprocess
import unittest

from support import BUILD, EndToEndTest, workload
from waiting import wait_until

CREDITS = {"one": 256, "two": 1024}
# Many kernels of one length: shares do not hang on how soon a program gets a CPU to wait for the last one.
QUEUED = ["--rounds", "20000", "--blocks", "1", "--sync-every", "64"]


class Record(EndToEndTest):
    def setUp(self):
        super().setUp()
        self.daemon = self.start_daemon()
        self.file = self.directory / "recorded.toml"

    def start_throttles(self):
        for name, credits in CREDITS.items():
            self.guest(self.daemon, [workload("throttle"), *QUEUED, "--seconds", "3600"], domain=name,
                       options=["--credits", str(credits)])
        for name in CREDITS:
            self.daemon.wait_for_task(name, calls=65)

    def simulate(self, *words):
        return subprocess.run([BUILD / "bin" / "pegasus-sim", self.file, *words], capture_output=True, text=True,
                              timeout=120, check=False)

    def recorder(self, *words):
        """pegasusctl record, in the background."""
        return self.start([BUILD / "bin" / "pegasusctl", "--daemon", self.daemon.directory, "record", self.file, *words])

    def refused(self, words, status, *expected):
        answer = self.daemon.ctl("record", *words)
        self.assertEqual(answer.returncode, status, answer)
        self.assertEqual(answer.stdout, "")
        for text in expected:
            self.assertIn(text, answer.stderr)

    def test_a_recording_is_replayed(self):
        self.start_throttles()
        recorded = self.daemon.ask("record", self.file, "--duration", "3s")
        self.assertEqual(recorded["policy"], "accc")
        self.assertEqual({domain["name"] for domain in recorded["domains"]}, set(CREDITS))
        self.assertAlmostEqual(sum(domain["share"] for domain in recorded["domains"]), 1, places=3)
        answer = self.simulate("--policy", "none", "--json")
        self.assertEqual(answer.returncode, 0, answer)
        replay, other = json.loads(answer.stdout)["runs"]
        self.assertEqual((replay["policy"], other["policy"]), ("accc", "none"))
        self.assertEqual({domain["name"]: domain["credits"] for domain in replay["domains"]}, CREDITS)
        self.assertEqual({domain["name"] for domain in replay["deviation"]}, set(CREDITS))
        self.assertNotIn("deviation", other)
        shares = {when: {domain["name"]: domain["share"] for domain in run["domains"]}
                  for when, run in (("recorded", recorded), ("replayed", replay))}
        for domain in replay["deviation"]:
            points = 100 * (shares["replayed"][domain["name"]] - shares["recorded"][domain["name"]])
            self.assertAlmostEqual(domain["share_points"], points, delta=0.1)
            # How busy this machine is moves it by some points; a replay without the credits would be 30 off.
            self.assertLess(abs(domain["share_points"]), 10, f"{answer.stdout}\n{self.file.read_text()}")
        table = self.simulate("--policy", "accc")
        self.assertEqual(table.returncode, 0, table)
        self.assertIn("deviation from what was recorded", table.stdout)

    def test_a_policy_is_recorded_with_what_is_set_of_it(self):
        self.daemon.ask("policy", "fair", "slice=3ms")
        self.daemon.ask("set", "--create", "idle", "credits=100", "slo=0.25")
        self.assertIn("under fair slice=3ms", self.daemon.ctl("record", self.file, "--duration", "1s").stdout)
        runs = json.loads(self.simulate("--policy", "fair slice=3ms", "--json").stdout)["runs"]
        self.assertEqual([run["policy"] for run in runs], ["fair slice=3ms"])
        self.assertEqual(runs[0]["deviation"], [{"name": "idle", "share_points": 0, "device_time_percent": None,
                                                 "calls_percent": None}])

    def test_bad_values(self):
        for duration in ("0", "-1s", "1801s", "10", "soon"):
            self.refused([self.file, "--duration", duration], 2, "--duration", "1s to 1800s")
        self.refused([], 2, "FILE")
        self.assertFalse(self.file.exists())

    def test_a_file_that_cannot_be_written_is_refused_at_once(self):
        missing = self.directory / "none" / "recorded.toml"
        self.refused([missing, "--duration", "1800s"], 1, f"cannot write {missing}: No such file or directory")
        self.refused([self.directory, "--duration", "1800s"], 1, f"cannot write {self.directory}: Is a directory")

    def test_nothing_to_record(self):
        self.refused([self.file, "--duration", "1s"], 1, "has no domains")
        self.assertFalse(self.file.exists())

    def test_changes_meanwhile(self):
        self.daemon.ask("set", "--create", "d1", "credits=100")
        recorder = self.recorder("--duration", "60s")
        # Whenever it begins, it meets one of these changes.
        def changed(values=iter(range(1, 60000))):
            self.daemon.ask("set", "d1", f"credits={next(values)}")
            return not recorder.runs()
        wait_until(changed, 30, "it notices")
        self.assertStatus(recorder, 1)
        self.assertOneSentence(recorder, "the settings of domain d1 changed", "record again")
        self.assertFalse(self.file.exists())

    def test_a_daemon_that_ends(self):
        self.start_throttles()
        recorder = self.recorder("--duration", "60s")
        recorder.runs_for(0.5)
        self.daemon.kill()
        self.assertStatus(recorder, 3, within=30)
        self.assertFalse(self.file.exists())

    def test_no_daemon(self):
        self.daemon.terminate()
        self.refused([self.file, "--duration", "1s"], 3, "no pegasusd is running")


if __name__ == "__main__":
    unittest.main()
