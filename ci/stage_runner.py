# SPDX-License-Identifier: Apache-2.0
"""Runs stages: each has half of the machine or all of it, and waits for the stages that it needs."""

import dataclasses
import glob
import os
import re
import signal
import subprocess
import sys
import time

from tree import ROOT

HALF, ALL = 1, 2  # of the machine's two halves
LOGS = os.path.join(ROOT, "build-ci")
LINES_OF_A_FAILURE = 150  # when it happens
LINES_OF_ITS_END = 25  # repeated when all have ended, for those who read only the last page
SILENCE_S = 60  # at most


@dataclasses.dataclass
class Stage:
    name: str
    halves: int
    needs: list  # names of stages that must have passed
    command: list  # relative to the root, or a program in PATH
    directory: str = "."  # relative to the root
    compiles: bool = False  # gives way to tests that run beside it
    kind: str = ""  # two of one kind do not run at the same time
    process: subprocess.Popen = None
    began: float = 0.0
    seconds: float = 0.0
    passed: bool = None  # None: has not ended
    detail: str = ""
    tests: tuple = (0, 0)  # passed, failed

    @property
    def log(self):
        return os.path.join(LOGS, f"{self.name}.log")

    def start(self, environment):
        self.began = time.monotonic()
        jobs = max(1, os.cpu_count() * self.halves // ALL)
        command = [os.path.join(ROOT, self.command[0]) if "/" in self.command[0] else self.command[0], *self.command[1:]]
        if self.compiles:
            command = ["nice", *command]
        say(f"=== {self.name}: {' '.join(self.command).replace(ROOT + '/', '')}")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(command, cwd=os.path.join(ROOT, self.directory), stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log, env={**environment, "CMAKE_BUILD_PARALLEL_LEVEL": str(jobs)},
                                            start_new_session=True)

    def text(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return log.read()

    def last_lines(self, most):
        return self.text().splitlines()[-most:]

    def end(self):
        self.seconds = time.monotonic() - self.began
        text = self.text()
        # A test that did not run is a failure to ctest, one that skipped itself is to us.
        self.passed = self.process.returncode == 0 and "***Skipped" not in text
        counts = re.findall(r"^\d+% tests passed, (\d+) tests failed out of (\d+)", text, re.M)
        if counts:
            bad, all_of_them = map(int, counts[-1])
            self.tests = (all_of_them - bad, bad)
            self.detail = f"{all_of_them - bad} tests passed, {bad} failed"
        if not self.passed:
            say("\n".join(self.last_lines(LINES_OF_A_FAILURE)))
        self.report()

    def skip(self, needed):
        self.passed, self.detail = False, f"not run: {needed} failed"
        self.report()

    def report(self):
        say(f"=== {self.line()}")

    def line(self):
        return f"{self.name:<16} {'passed' if self.passed else 'failed':<7} {self.seconds:5.0f} s  {self.detail}".rstrip()

    def counts(self):
        """Tests passed and failed. A stage without tests counts as one, and so does one that failed though no test did."""
        good, bad = self.tests
        if self.passed:
            return max(good, 1), bad
        return good, max(bad, 1)


def say(text):
    print(text, flush=True)


def run(stages, environment):
    """Runs them all whatever fails; the exit status."""
    os.makedirs(LOGS, exist_ok=True)
    for log in glob.glob(os.path.join(LOGS, "*.log")):
        os.remove(log)
    began, began_at = time.monotonic(), time.time()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))
    try:
        _run(stages, {**os.environ, **environment})
    finally:  # whatever ends this: nothing stays behind
        for stage in stages:
            if stage.process and stage.passed is None:
                os.killpg(stage.process.pid, signal.SIGTERM)
    _slowest("compile steps", _compile_steps(began_at))
    _slowest("tests", _tests(stages))
    for stage in stages:
        if stage.passed is False and stage.process:
            say(f"\n{stage.name} failed; its last lines, of {os.path.relpath(stage.log, ROOT)}:")
            say("\n".join(stage.last_lines(LINES_OF_ITS_END)))
    say("\n" + "\n".join(stage.line() for stage in stages))
    good, bad = map(sum, zip(*(stage.counts() for stage in stages)))
    say(f"{time.monotonic() - began:.0f} s in all")
    say(f"{good} passed, {bad} failed")
    return 0 if bad == 0 else 1


def _run(stages, environment):
    ended = {}
    spoke = time.monotonic()
    while len(ended) < len(stages):
        for stage in stages:
            if stage.process and stage.passed is None and stage.process.poll() is not None:
                stage.end()
                ended[stage.name] = stage
        _start_what_fits(stages, ended, environment)
        running = [stage for stage in stages if stage.process and stage.passed is None]
        if time.monotonic() - spoke > SILENCE_S:
            spoke = time.monotonic()
            say("    running: " + ", ".join(f"{stage.name} ({spoke - stage.began:.0f} s)" for stage in running))
        time.sleep(0.2)


def _start_what_fits(stages, ended, environment):
    running = [stage for stage in stages if stage.process and stage.passed is None]
    free = ALL - sum(stage.halves for stage in running)
    kinds = {stage.kind for stage in running if stage.kind}
    for stage in stages:
        if stage.process or stage.name in ended or not all(need in ended for need in stage.needs):
            continue
        failed = [need for need in stage.needs if not ended[need].passed]
        if failed:
            stage.skip(failed[0])
            ended[stage.name] = stage
        elif stage.halves <= free and stage.kind not in kinds:
            stage.start(environment)
            free -= stage.halves
            kinds |= {stage.kind} - {""}


def _slowest(what, times, most=10):
    say(f"\nslowest {what}:")
    for seconds, name in sorted(times, reverse=True)[:most]:
        say(f"{seconds:8.1f} s  {name}")


def _compile_steps(since):
    """Steps of every build directory whose product is of this run."""
    for log in glob.glob(os.path.join(ROOT, "build*", ".ninja_log")):
        directory = os.path.basename(os.path.dirname(log))
        with open(log, encoding="utf-8") as file:
            steps = [line.split("\t") for line in file if not line.startswith("#")]
        for begin, end, modified, product, *_ in steps:
            if int(modified) > since * 1e9:
                yield (int(end) - int(begin)) / 1e3, f"{directory}/{product.replace('CMakeFiles/', '')}"


def _tests(stages):
    for stage in stages:
        if stage.process is None:
            continue
        found = re.findall(r"Test +#\d+: (\S+) [. ]*(?:Passed|\*\*\*\S+) +([\d.]+) sec", stage.text())
        if found:
            yield from ((float(seconds), f"{stage.name}: {name}") for name, seconds in found)
        elif not stage.compiles:
            yield stage.seconds, stage.name
