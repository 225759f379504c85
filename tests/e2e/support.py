# SPDX-License-Identifier: Apache-2.0
"""What every end-to-end test starts from: the build under test, a clean environment, and cleaning up."""
import os
import random
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

import processes
from daemon import Daemon
from program import Program
from waiting import wait_until

BUILD = Path(os.environ.get("PEGASUS_BUILD", "build")).resolve()
PEGASUS = BUILD / "bin" / "pegasus"
WORKLOADS = BUILD / "bin" / "workloads"
HERE = Path(__file__).resolve().parent
SYSTEM_DAEMON = Path("/run/pegasus/control.sock")


def workload(name):
    return WORKLOADS / name


def nvcc():
    """The one that built the workloads."""
    return re.search("^PEGASUS_NVCC:FILEPATH=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)[1]


def python(script, *words):
    """A command that runs one of this directory's client scripts."""
    return [sys.executable, HERE / script, *words]


def as_the_service(directory):
    """A command that runs what follows with what the service's unit leaves, and `directory` to write to; for root."""
    return [sys.executable, "-B", HERE / "service_unit.py", directory]


def clean_environment(runtime_directory):
    """The caller's, without a daemon to be found in it."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith("PEGASUS_") and name not in ("LD_PRELOAD", "LD_LIBRARY_PATH")}
    kept["XDG_RUNTIME_DIR"] = str(runtime_directory)
    return kept


class EndToEndTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        # Short, because a socket's path has 107 bytes; also TMPDIR of what is started: leftovers show.
        self.directory = Path(tempfile.mkdtemp(prefix="pegasus-e2e-"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        self.runtime = self.directory / "run"
        self.runtime.mkdir(mode=0o700)
        self.environment = clean_environment(self.runtime)

    def seeded_random(self):
        """Of a new seed each time, which is printed; PEGASUS_SEED repeats one."""
        seed = int(os.environ.get("PEGASUS_SEED") or random.randrange(1 << 32))
        print(f"seed {seed}", flush=True)
        return random.Random(seed)

    def start_daemon(self, name="daemon", environment=None, **settings):
        daemon = Daemon(BUILD, environment or self.environment, self.directory / name, **settings)
        self.addCleanup(daemon.close)
        return daemon

    def start(self, command, environment=None, **how):
        program = Program(command, environment or self.environment, **how)
        self.addCleanup(program.close)
        return program

    def guest(self, daemon, command, domain=None, options=(), **how):
        program = daemon.run(command, domain=domain, options=options, **how)
        self.addCleanup(program.close)
        return program

    def run_privately(self, *command, options=(), **how):
        """`pegasus run` with a daemon of its own, to its end."""
        program = self.start([PEGASUS, "run", "--private", *options, "--", *command], **how)
        program.ended(within=120)
        return program

    def assertJailed(self, daemon, worker):
        """Every thread of a worker: no capability, a filter, and what this machine lets pegasusd give besides."""
        inherited = max(int(thread["Seccomp_filters"]) for thread in processes.threads(daemon.pid))
        wait_until(lambda: all(int(thread["Seccomp_filters"]) > inherited for thread in processes.threads(worker)), 10,
                   "it is locked up")
        for thread in processes.threads(worker):
            self.assertEqual(thread["NoNewPrivs"], "1")
            for capabilities in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
                self.assertEqual(int(thread[capabilities], 16), 0, capabilities)
        self.assertEqual(Path(f"/proc/{worker}/oom_score_adj").read_text(), "500\n")
        missing = daemon.ask("version")["pegasusd"]["workers_lack"]
        if "namespaces" not in missing:
            ours, theirs = processes.namespaces("self"), processes.namespaces(worker)
            shared = {kind for kind in ours if ours[kind] == theirs[kind]}
            self.assertEqual(shared, {"pid"} if "no PID namespace" in missing else set())
        if os.geteuid() == 0 and "user id" not in missing:
            user, = {thread["Uid"] for thread in processes.threads(worker)}
            self.assertGreater(int(user.split()[0]), 1 << 30)

    @staticmethod
    def separation(daemon):
        """What workers lack, but for control groups: a service's own is made by systemd, and not in these tests."""
        lacks = daemon.ask("version")["pegasusd"]["workers_lack"].split("; ")
        return [lack for lack in lacks if lack and "control group" not in lack]

    def assertPassed(self, program, within=60):
        program.ended(within)
        self.assertTrue(program.passed(), f"not verified: {program}")

    def assertStatus(self, program, status, within=60):
        self.assertEqual(program.ended(within), status, str(program))

    def assertOneSentence(self, program, *words):
        """What a user gets when Pegasus cannot do it: one line on stderr, with the remedy in it."""
        lines = program.err.splitlines()
        self.assertEqual(len(lines), 1, f"one line is expected: {program}")
        for word in words:
            self.assertIn(word, lines[0])
