# SPDX-License-Identifier: Apache-2.0
"""What pegasus-sim prints and writes for a reader, and for his programs: the list, the first table, CSV, several seeds."""
import csv
import io
import json
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import BUILD
from terminal import on_a_terminal
from test_sim import SCENARIOS, papers, simulate

RANDOM = ("progress", "--set", "duration=300ms", "--policy", "fair", "--policy", "none")


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text, newline="")))


class SimOutput(unittest.TestCase):
    def test_the_list_is_in_natural_order_and_says_what_varies(self):
        listed = simulate("--list").stdout
        names = [line.split()[0] for line in listed.splitlines()]
        self.assertEqual(names, sorted((path.stem for path in SCENARIOS), key=papers().natural))
        self.assertLess(names.index("fleig-fig5.2-bfs"), names.index("fleig-fig5.10-srad_v1"))
        self.assertNotIn("$", listed)

    def test_the_list_fits_on_a_terminal(self):
        for columns, least in ((100, len(SCENARIOS) + 5), (70, len(SCENARIOS) + 40), (200, len(SCENARIOS) + 5)):
            status, lines = on_a_terminal(columns, [BUILD / "bin" / "pegasus-sim", "--list"])
            self.assertEqual(status, 0)
            self.assertLessEqual(max(map(len, lines)), min(columns, 100))
            self.assertGreater(len(lines), least)

    def test_the_table_of_policies_is_first_and_marks_the_best(self):
        lines = simulate("fairgv-fig8-bs", "--policy", "fair", "--policy", "none").stdout.splitlines()
        self.assertRegex(lines[2], r"^policy +min-max ratio +overhead +progress sum +worst p99 wait$")
        self.assertRegex(lines[3], r"^fair +0\.99\d\* +1\.000 +1\.000 +\d+ ms$")
        self.assertRegex(lines[4], r"^none +0\.333 +0\.9\d\d\* +1\.0\d\d\* +1\.\d ms\*$")
        self.assertIn("*: the best of its column", lines)
        self.assertTrue(lines[5].startswith("overhead: ") and "less than 1" in lines[5])

    def test_a_run_that_did_nothing_is_not_fair(self):
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write('duration = "100ms"\n[[domain]]\n[[domain.program]]\nsteps = ["cpu 1ms"]\n')
            file.flush()
            words = (file.name, "--policy", "fair")
            self.assertNotIn("1.000", simulate(*words).stdout)
            self.assertIn("-: no kernels in the measurement", simulate(*words).stdout)
            run = json.loads(simulate(*words, "--json").stdout)["runs"][0]
            self.assertEqual((run["mmr"], run["overhead"], run["shows"]["overhead"]), (None, None, [None]))
            row, = rows_of(simulate(*words, "--csv", "-").stdout)
            self.assertEqual((row["kernels"], row["min_max_ratio"], row["wait_p99_us"]), ("0", "", ""))

    def test_csv_has_the_numbers_of_json(self):
        words = ("fairgv-fig10", "--policy", "fair", "--policy", "none", "--set", "duration=300ms")
        rows = rows_of(simulate(*words, "--csv", "-").stdout)
        runs = json.loads(simulate(*words, "--json").stdout)["runs"]
        expected = [(run, domain) for run in runs for domain in run["domains"]]
        self.assertGreater(len({run["variant"] for run in runs}), 1)
        self.assertEqual(len(rows), len(expected))
        for row, (run, domain) in zip(rows, expected):
            self.assertEqual([row[key] for key in ("scenario", "vary", "set", "policy", "domain")],
                             [run["scenario"], run["variant"], "duration=300ms", run["policy"], domain["name"]])
            for key in ("credits", "share", "progress", "device_s", "cpu_s", "wait_p50_us", "wait_p99_us"):
                self.assertEqual(float(row[key]), domain[key], key)
            self.assertEqual((float(row["min_max_ratio"]), float(row["overhead"])), (run["mmr"], run["overhead"]))

    def test_csv_is_written_beside_the_tables_or_instead_of_them(self):
        words = ("shares", "--policy", "fair", "--set", "duration=300ms")
        printed = simulate(*words, "--csv", "-").stdout
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "all.csv"
            self.assertEqual(simulate(*words, "--csv", file).stdout, simulate(*words).stdout)
            self.assertEqual(file.read_bytes().decode().replace("\r\n", "\n"), printed)
            self.assertEqual(file.read_bytes().count(b"\r\n"), 1 + 4)
        answer = simulate(*words, "--json", "--csv", "-")
        self.assertEqual((answer.returncode, answer.stdout), (2, ""))
        self.assertIn("give --csv a file", answer.stderr)

    def test_seeds_are_rows_means_and_intervals(self):
        words = (*RANDOM, "--seed", "5", "--seeds", "4")
        rows = rows_of(simulate(*words, "--csv", "-").stdout)
        self.assertEqual({row["seed"] for row in rows}, {"5", "6", "7", "8"})
        for run in json.loads(simulate(*words, "--json").stdout)["runs"]:
            for domain in run["seeds"]["domains"]:
                values = [float(row["progress"]) for row in rows
                          if (row["policy"], row["domain"]) == (run["policy"], domain["name"])]
                mean = sum(values) / 4
                error = (sum((value - mean) ** 2 for value in values) / 3 / 4) ** 0.5
                self.assertAlmostEqual(domain["progress"]["mean"], mean)
                self.assertAlmostEqual(domain["progress"]["interval"], 3.182 * error)
                self.assertGreater(error, 0)
        table = simulate(*words).stdout
        self.assertIn("of the mean of 4 seeds, 5 to 8", table)
        self.assertNotIn("nothing in this scenario is random", table)
        self.assertRegex(table, r"(?m)^fair +0\.\d{3} \+- 0\.\d{3}")
        self.assertEqual(simulate("shares", "--seeds", "0").returncode, 2)

    def test_without_seeds_nothing_is_added_and_the_first_seed_is_what_it_was(self):
        one = json.loads(simulate(*RANDOM, "--json").stdout)["runs"]
        several = json.loads(simulate(*RANDOM, "--json", "--seeds", "2").stdout)["runs"]
        for run in several:
            del run["seeds"]
        self.assertEqual(one, several)

    def test_a_scenario_without_randomness_says_so(self):
        words = ("shares", "--policy", "fair", "--set", "duration=300ms", "--seeds", "2")
        self.assertIn("nothing in this scenario is random", simulate(*words).stdout)
        seeds = json.loads(simulate(*words, "--json").stdout)["runs"][0]["seeds"]
        self.assertEqual((seeds["random"], seeds["progress_sum"]["interval"]), (False, 0))

    def test_a_full_disk_is_an_error(self):
        words = ("shares", "--policy", "fair", "--set", "duration=100ms")
        for option in ("--csv", "--report", "--trace"):
            answer = simulate(*words, option, "/dev/full")
            self.assertEqual((answer.returncode, answer.stdout), (1, ""), option)
            self.assertEqual(answer.stderr, "pegasus-sim: cannot write /dev/full: No space left on device\n")
        for output in (words, (*words, "--json"), (*words, "--csv", "-"), ("--list",), ("--help",)):
            with open("/dev/full", "wb") as full:
                answer = subprocess.run([Path(BUILD) / "bin" / "pegasus-sim", *output], stdout=full,
                                        stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual(answer.returncode, 1, output)
            self.assertEqual(answer.stderr, "pegasus-sim: cannot write to standard output: No space left on device\n")

    def test_a_report_says_how_to_run_it_again(self):
        with tempfile.TemporaryDirectory() as folder:
            mine, page, again = (Path(folder) / name for name in ("mine.toml", "page.html", "again.html"))
            mine.write_text((SCENARIOS[0].parent / "shares.toml").read_text())
            words = (mine, "--policy", "fair", "--set", "duration=300ms", "--seed", "2", "--seeds", "2")
            self.assertEqual(simulate(*words, "--report", page).returncode, 0)
            self.assertIn(f"{mine} --policy fair --set duration=300ms --seed 2 --seeds 2 --report", page.read_text())
            self.assertEqual(simulate("/dev/stdin", *words[1:], "--report", again, stdin=mine.read_text()).returncode, 0)
            self.assertIn("Four greedy guests", again.read_text().split("file (TOML)")[1])


if __name__ == "__main__":
    unittest.main()
