# SPDX-License-Identifier: Apache-2.0
"""pegasus-sim as a user calls it: its scenarios, its output, and what it says of bad input."""
import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

from support import BUILD

SCENARIOS_FOLDER = Path(__file__).parents[2] / "sim" / "scenarios"
PAPERS = SCENARIOS_FOLDER.parents[1] / "ci" / "papers"
SCENARIOS = sorted(SCENARIOS_FOLDER.glob("*.toml"))


def simulate(*words, stdin=None):
    return subprocess.run([Path(BUILD) / "bin" / "pegasus-sim", *words], capture_output=True, text=True, timeout=120,
                          input=stdin)


def papers():
    """ci/papers as a module."""
    sys.path.insert(0, str(PAPERS.parent))  # of what it imports
    loader = importlib.machinery.SourceFileLoader("papers", str(PAPERS))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("papers", loader))
    loader.exec_module(module)
    return module


class Page(HTMLParser):
    """A report: the tooltips in each of its drawings, by their titles, its boxes of text, and whatever is not as a page must
    be."""
    VOID = {"meta", "link", "img", "br", "hr", "input"}

    def __init__(self, text):
        super().__init__()
        self.open, self.tooltips, self.boxes, self.wrong, self.content, self.text = [], {}, [], [], {}, text
        self.feed(text)
        self.close()
        self.wrong += [f"<{tag}> is not closed" for tag in self.open]

    def handle_starttag(self, tag, attrs):
        self.handle_startendtag(tag, attrs)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        values = dict(attrs)
        self.wrong += [f"<{tag} {name}>" for name in values if name in ("src", "srcset", "data") or name.startswith("on")]
        if not values.get("href", "#").startswith("#") or tag in ("link", "img", "iframe", "object"):
            self.wrong.append(f"<{tag}>")
        if tag == "pre":
            self.boxes.append("")
        if "aria-label" in values and tag == "svg":
            self.drawing = self.tooltips.setdefault(values["aria-label"], [])

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> closes nothing")

    def handle_data(self, data):
        if self.open:
            self.content[self.open[-1]] = self.content.get(self.open[-1], "") + data
        if self.open[-1:] == ["pre"]:
            self.boxes[-1] += data
        if self.open[-1:] == ["title"] and "svg" in self.open:
            self.drawing.append(data)


class Sim(unittest.TestCase):
    def refused(self, words, *expected):
        answer = simulate(*words)
        self.assertEqual(answer.returncode, 2, answer)
        self.assertEqual(answer.stdout, "")
        for text in expected:
            self.assertIn(text, answer.stderr)

    def test_each_scenario_runs(self):
        self.assertTrue(SCENARIOS)
        for path in SCENARIOS:
            answer = simulate(path, "--set", "duration=200ms")
            self.assertEqual(answer.returncode, 0, answer)
            self.assertIn("min-max ratio", answer.stdout)

    def test_the_built_in_ones_are_listed_and_run_by_name(self):
        listed = simulate("--list").stdout.splitlines()
        self.assertEqual(sorted(line.split()[0] for line in listed), [path.stem for path in SCENARIOS])
        for line in listed:
            self.assertGreater(len(line.split()), 3, line)
        by_name, by_file = simulate("shares", "--json"), simulate(SCENARIOS_FOLDER / "shares.toml", "--json")
        self.assertEqual(by_name.returncode, 0, by_name)
        self.assertEqual(by_name.stdout, by_file.stdout)

    def test_a_figure_is_all_of_its_programs(self):
        runs = json.loads(simulate("fairgv-fig9", "--policy", "fair", "--policy", "rr", "--json").stdout)["runs"]
        self.assertEqual([(run["scenario"], run["policy"]) for run in runs],
                         [(path.stem, policy) for path in SCENARIOS if path.stem.startswith("fairgv-fig9-")
                          for policy in ("fair", "rr")])
        self.refused(["fairgv-fig"], "fairgv-fig: No such file or directory", "--list")

    def test_papers_prints_the_figures_in_their_natural_order(self):
        module = papers()
        self.assertEqual(module.short_names(["rr a=1 b=2", "rr a=1", "rr a=1 c=3"]),
                         {"rr a=1 b=2": "b=2", "rr a=1": "rr a=1", "rr a=1 c=3": "c=3"})
        figures = module.figures()
        self.assertLess(figures.index("fairgv-fig8"), figures.index("fairgv-fig10"))
        self.assertLess(figures.index("pegasus-fig3c"), figures.index("pegasus-fig4"))
        self.assertEqual(set(figures), {"-".join(path.stem.split("-")[:2]) for path in SCENARIOS
                                        if path.stem.startswith(("dymgpu-", "fairgv-", "fleig-", "pegasus-"))})

    def test_papers_prints_each_domain_of_a_figure_with_many_values(self):
        answer = subprocess.run([PAPERS, "pegasus-fig6"], capture_output=True, text=True, timeout=120)
        lines = answer.stdout.splitlines()
        self.assertEqual(lines[0], "pegasus-fig6-bs: work done of dom1 / dom2 / dom3 / dom4")
        self.assertEqual(lines[2], "| policy | 0ms | 1ms |")
        self.assertRegex(lines[4], r"^\| none \|( [0-9.]+ / [0-9.]+ / [0-9.]+ / [0-9.]+ \|){2}$")

    def test_fairgv(self):
        """F 5.4: fair and eevdf share by weight at no cost, whatever the program; without a policy weights count for nothing
        as long as the device is what the VMs wait for."""
        for path in SCENARIOS:
            if not path.stem.startswith(("fairgv-fig8-", "fairgv-fig9-", "fairgv-table3-")):
                continue
            answer = simulate(path.stem, "--policy", "none", "--policy", "fair", "--policy", "eevdf", "--json")
            runs = {run["policy"]: run for run in json.loads(answer.stdout)["runs"]}
            for policy in ("fair", "eevdf"):
                self.assertGreaterEqual(runs[policy]["mmr"], 0.99, path.stem)
                self.assertLessEqual(runs[policy]["overhead"], 1.02, path.stem)
            if "srd1" not in path.stem:
                self.assertLess(runs["none"]["mmr"], 0.4, path.stem)

    def test_fairgv_conserves_work_and_ignores_the_size_of_kernels(self):
        """F 5.4.5 and 5.5.1, figures 10 and 11."""
        def shown(figure):
            return [(run["variant"], run["policy"], run["shows"]) for run in json.loads(simulate(figure, "--json").stdout)["runs"]]
        for sleep, policy, shows in shown("fairgv-fig10"):
            if policy in ("credit-poll", "timeslice-disengaged"):
                self.assertLess(shows["utilization"][0], 0.85, (sleep, policy))
            else:
                self.assertGreater(shows["utilization"][0], 0.96, (sleep, policy))
        for size, policy, shows in shown("fairgv-fig11"):
            if policy in ("fair", "eevdf", "lead"):
                for run_time in shows["run time"]:
                    self.assertAlmostEqual(run_time, 2, delta=0.03, msg=(size, policy))

    def test_the_documents_have_the_tables_of_ci_papers(self):
        """All but the matrix of test_progress."""
        root = SCENARIOS_FOLDER.parents[1]
        credit2 = ["--set", "cpus.scheduler=credit2", "--set", 'policies=["credit-poll", "strict-co", "fair"]',
                   "fairgv-fig8", "fairgv-fig9", "fairgv-table3"]
        inputs = ["told-switch-cost", "old-schedule-polls", "old-schedule-sleeps"]
        schedules = [["--set", f"cpus.schedule={source}", "--set", 'vary=["0ms"]', *inputs[1:]] for source in ("traces", "hypercalls", "none")]
        period = ["--set", "cpus.schedule_age=0ms", "--set", "cpus.schedule_period=$", inputs[1]]
        rows = []
        for words in (papers().figures(), credit2, inputs, *schedules, period, ["latency"]):
            answer = subprocess.run([root / "ci" / "papers", *words], capture_output=True, text=True, timeout=300,
                                    env={**os.environ, "PEGASUS_BUILD": str(BUILD)})
            self.assertEqual(answer.returncode, 0, answer)
            rows += [line for line in answer.stdout.splitlines() if line.startswith("|")]
        self.assertGreater(len(rows), 20)
        shown = "".join(path.read_text() for path in (root / "docs" / "evaluation").glob("*.md")).splitlines()
        for row in rows:
            self.assertIn(row, shown)

    def test_a_scenario_is_changed_from_the_command_line(self):
        words = ["switch-cost", "--policy", "fair", "--set", "cpus.scheduler=credit2", "--set=duration=100ms"]
        self.assertIn("cpus.scheduler=credit2, duration=100ms", simulate(*words).stdout)
        run = json.loads(simulate(*words, "--json").stdout)["runs"][0]
        self.assertEqual((run["scheduler"], run["duration_s"], run["set"]),
                         ("credit2", 0.1, ["cpus.scheduler=credit2", "duration=100ms"]))
        self.assertEqual(json.loads(simulate("switch-cost", "--json").stdout)["runs"][0]["scheduler"], "credit")
        self.refused(["shares", "--set", "cpus.scheduler=rtds"],
                     'shares.toml: --set cpus.scheduler=rtds: scheduler must be "credit" or "credit2"')
        self.refused(["shares", "--set", "duration"], "expected KEY=VALUE")
        self.refused([SCENARIOS_FOLDER / "shares.toml", "--set", "domain.9.weight=1"], "the first is 0")

    def test_the_same_seed_gives_the_same_bytes(self):
        words = ("fairgv-fig8-bs", "--policy", "fair", "--policy", "none", "--seed", "3", "--json")
        first, second = simulate(*words), simulate(*words)
        self.assertEqual(first.stdout, second.stdout)
        runs = json.loads(first.stdout)["runs"]
        self.assertEqual([run["policy"] for run in runs], ["fair", "none"])
        for run in runs:
            self.assertAlmostEqual(sum(domain["share"] for domain in run["domains"]), 1, places=6)

    def report_of(self, *words):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "report.html"
            answer = simulate(*words, "--report", file)
            self.assertEqual(answer.returncode, 0, answer)
            return answer.stdout, file.read_bytes()

    def test_a_report_is_a_page_by_itself_with_plots_of_all_policies_and_domains(self):
        policies = ("none", "xc hold=10ms")
        words = ("fairgv-fig9", *(word for policy in policies for word in ("--policy", policy)), "--seed", "3")
        table, data = self.report_of(*words)
        page = Page(data.decode())
        self.assertEqual(page.wrong, [])
        for address in ("http:", "https:", "url(", "@import"):
            self.assertNotIn(address, page.text)
        self.assertIn("pegasus-sim fairgv-fig9 --policy none --policy 'xc hold=10ms' --seed 3", page.content["code"])
        self.assertEqual("\n".join(page.boxes[::2]), table)
        self.assertEqual(page.boxes[1::2], [(SCENARIOS_FOLDER / f"fairgv-fig9-{program}.toml").read_text()
                                            for program in ("bs", "srd1")])
        for policy in policies:
            for plot in ("Progress of each domain", "Progress over share by credits of each domain",
                         "Median and 99th percentile of each domain's waits"):
                for domain in (f"vm{number}" for number in range(1, 7)):
                    tooltips = [tip for tip in page.tooltips[f"{plot} under each policy"] if tip.startswith(f"{policy}, {domain}: ")]
                    self.assertEqual(len(tooltips), 2, (plot, domain))  # of two scenarios
            for plot in ("Min-max ratio", "Work done", "What the accelerators' time was"):
                self.assertTrue([tip for tip in page.tooltips[f"{plot} under each policy"] if tip.startswith(f"{policy}: ")])
            over_time = page.tooltips[f"Shares over time: {policy}, accelerator 0"]
            ran = page.tooltips[f"What ran on pCPUs and accelerators: {policy}"]
            for number in range(1, 7):
                self.assertTrue([tip for tip in over_time if f"vm{number}: " in tip])
                # Only without a policy has each domain run within the first 100 ms.
                for row in ("pCPU ", "accelerator 0: ") if policy == "none" else ():
                    self.assertTrue([tip for tip in ran if tip.startswith(row) and tip.endswith(f": vm{number}")])
            for row in ("pCPU ", "accelerator 0: "):
                self.assertTrue([tip for tip in ran if tip.startswith(row)])

    def test_a_report_has_the_same_bytes_again_and_what_is_printed_does_not_change(self):
        words = ("shares", "--policy", "fair", "--policy", "none")
        first = self.report_of(*words)
        self.assertEqual(first, self.report_of(*words))
        self.assertEqual(first[0], simulate(*words).stdout)

    def test_a_scenario_cannot_write_into_the_report(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "a'<b>.toml"
            file.write_text('title = "</pre><script>alert(1)</script>"\nduration = "100ms"\n[[domain]]\n'
                            'name = "\\"><img src=x onerror=alert(1)>\\u0000"\n'
                            '[[domain.program]]\nsteps = ["call 1ms"]\n')
            _, data = self.report_of(file, "--policy", "fair")
        page = Page(data.decode())
        self.assertEqual(page.wrong, [])
        self.assertEqual(page.text.count("<script"), 1)
        self.assertNotIn("\0", page.text)
        self.assertIn("</pre><script>alert(1)</script>", page.content["pre"])

    def test_a_report_that_cannot_be_written_is_an_error(self):
        answer = simulate("shares", "--policy", "fair", "--report", "/nonexistent/report.html")
        self.assertEqual((answer.returncode, answer.stdout), (1, ""))
        self.assertEqual(answer.stderr, "pegasus-sim: cannot write /nonexistent/report.html: No such file or directory\n")

    def test_all_policies_are_the_default(self):
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write('duration = "100ms"\n[[domain]]\n[[domain.program]]\nsteps = ["call 1ms"]\n')
            file.flush()
            runs = json.loads(simulate(file.name, "--json").stdout)["runs"]
        self.assertLessEqual({"none", "rr", "accc", "fair", "eevdf"}, {run["policy"] for run in runs})

    def test_bad_input(self):
        self.refused(["/nonexistent.toml"], "/nonexistent.toml: No such file or directory")
        self.refused(["/tmp"], "/tmp: Is a directory")
        self.refused(["/dev/null"], "domain")
        self.refused([], "name a scenario")
        self.refused(["shares-of"], "shares-of: No such file or directory", "--list")
        self.refused([SCENARIOS[0], "--policy", "fastest"], "fastest", "accc")
        self.refused([SCENARIOS[0], "--policy", "fair slice=never"], "slice")
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write("[[domain]]\ncredits = 70000\n")
            file.flush()
            self.refused([file.name], f"{file.name}:2:11: credits must be")


if __name__ == "__main__":
    unittest.main()
