# SPDX-License-Identifier: Apache-2.0
"""The progress matrix of docs/evaluation/progress.md: what each of n domains keeps of what it does alone, where one
computes between its calls and the others do not. `ci/papers progress` prints it."""

import itertools
import json
import os
import statistics
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import simulator

SCENARIO = simulator.ROOT / "sim/scenarios/progress.toml"  # has the policies
GAPS = ("40us", "100us", "300us", "1ms", "3ms")
KERNELS = ("300us", "2400us", "10ms", "100ms")
CHANGES = ("0us", "100us", "1ms")
OTHERS = {"one": 1, "greedy": 1, "three": 3, "seven": 7}
SPREADS = (0, 0.3)
LEAST, WORK = 0.9, 0.85  # the promise
DETAILED = ("fair hold=auto", "accc")  # the policies whose matrix is printed, with the last spread

# Of the measurement, in seconds: each kernel runs tens of times even where eight domains share the device.
SECONDS = {"300us": (3, 4, 6), "2400us": (3, 4, 6), "10ms": (6, 12, 24), "100ms": (12, 24, 60)}


@dataclass(frozen=True)
class Cell:
    gap: str
    kernel: str
    change: str
    others: str
    spread: float

    @property
    def row(self):
        return f"{self.gap}, {self.kernel}"

    @property
    def column(self):
        return f"{self.change} {self.others}"

    def settings(self):
        count = OTHERS[self.others]
        steps = f'"launch {self.kernel} 16", "sync"' if self.others == "greedy" else f'"call {self.kernel}"'
        changed = {"duration": f"{SECONDS[self.kernel][(1, 3, 7).index(count)]}s", "cpus.count": count + 1,
                   "accelerator.0.switch_cost": self.change, "domain.0.program.0.spread": self.spread,
                   "domain.0.program.0.steps": f'["cpu {self.gap}", "call 300us"]', "domain.1.copies": count,
                   "domain.1.pin": list(range(1, count + 1)), "domain.1.program.0.spread": self.spread,
                   "domain.1.program.0.steps": f"[{steps}]"}
        return [word for key, value in changed.items() for word in ("--set", f"{key}={value}")]


CELLS = [Cell(*values) for values in itertools.product(GAPS, KERNELS, CHANGES, OTHERS, SPREADS)]
ROWS = [f"{gap}, {kernel}" for gap, kernel in itertools.product(GAPS, KERNELS)]
COLUMNS = [f"{change} {others}" for change, others in itertools.product(CHANGES, OTHERS)]


@dataclass(frozen=True)
class Result:
    """Of one policy in one cell."""
    least: float  # n times the least progress of a domain; 1: an n-th of what it does alone
    work: float  # the sum of all progress, over the best that a policy reaches in this cell

    def __str__(self):
        return " / ".join(f"**{value:.2f}**" if value < promised else f"{value:.2f}"
                          for value, promised in ((self.least, LEAST), (self.work, WORK)))


def measure(settings, cells=CELLS):
    """Each policy's results by cell."""
    def run(cell):
        return json.loads(simulator.simulate(SCENARIO, "--json", *cell.settings(), *settings))["runs"]

    matrix = {}
    with ThreadPoolExecutor(max(2, os.cpu_count())) as processes:
        for cell, runs in zip(cells, processes.map(run, cells)):
            progress = {run["policy"]: [domain["progress"] for domain in run["domains"]] for run in runs}
            best = max(map(sum, progress.values()))
            for policy, own in progress.items():
                matrix.setdefault(policy, {})[cell] = Result(min(own) * len(own), sum(own) / best)
    return matrix


def shown(results):
    """Those of the cells that tables and picture have, by row and column."""
    return {(cell.row, cell.column): result for cell, result in results.items() if cell.spread == SPREADS[-1]}


def tables(matrix):
    """The summary of all policies, and the matrix of some."""
    below, worst, mean, lowest = (f"below {LEAST}/n, of {len(CELLS)} cells", "least progress, times n",
                                  "work over the best: mean", "least")
    summary = {}
    for policy, results in matrix.items():
        summary[policy, below] = sum(result.least < LEAST for result in results.values())
        summary[policy, worst] = f"{min(result.least for result in results.values()):.3f}"
        summary[policy, mean] = f"{statistics.mean(result.work for result in results.values()):.3f}"
        summary[policy, lowest] = f"{min(result.work for result in results.values()):.3f}"
    yield simulator.table("policy", matrix, (below, worst, mean, lowest), summary)
    for policy in filter(matrix.__contains__, DETAILED):
        yield simulator.table(f"{policy}: gap, kernel", ROWS, COLUMNS, shown(matrix[policy]))


def rewrite(page, printed):
    """Puts the tables in the place of those in `page` that begin with the same line."""
    lines = Path(page).read_text(encoding="utf-8").splitlines()
    for table in printed:
        if table[0] not in lines:
            sys.exit(f"ci/papers: {page} has no table that begins with '{table[0]}'")
        first = lines.index(table[0])
        after = next((number for number in range(first, len(lines)) if not lines[number].startswith("|")), len(lines))
        lines[first:after] = table
    Path(page).write_text("\n".join(lines) + "\n", encoding="utf-8")
