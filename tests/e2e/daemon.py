# SPDX-License-Identifier: Apache-2.0
"""A private pegasusd in a directory of its own, and the questions the tests ask it."""
import json
import os
import signal
import subprocess
import tempfile

import processes
from program import Program
from terminal import Terminal, on_a_terminal
from waiting import wait_until

START_LIMIT = 30


class Daemon:
    def __init__(self, build, environment, directory, policy="accc", options=(), stderr=None, under=()):
        self.build = build
        self.directory = str(directory)
        self._environment = environment
        self._log = tempfile.TemporaryFile()
        ready, ready_for_it = os.pipe()
        # --private ends the daemon with the thread that started it: only the main thread may.
        self.popen = subprocess.Popen(
            [*under, build / "bin" / "pegasusd", "--directory", self.directory, "--private", "--ready-fd", str(ready_for_it),
             *(["--policy", policy] if policy else []), *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self._log if stderr is None else stderr, env=environment,
            pass_fds=[ready_for_it])
        os.close(ready_for_it)
        with os.fdopen(ready, "rb") as pipe:
            if pipe.read(1) != b"r":  # it closed the pipe unwritten
                self.popen.wait(timeout=START_LIMIT)
                raise AssertionError(f"pegasusd did not start: {self.log}")
        # It closes its end when it has said that it is ready; no request has come yet.
        wait_until(lambda: not os.path.lexists(f"/proc/{self.pid}/fd/{ready_for_it}"), START_LIMIT, "a start")
        self.descriptors_at_start = self.descriptors()

    @property
    def pid(self):
        return self.popen.pid

    @property
    def log(self):
        with open(f"/proc/self/fd/{self._log.fileno()}", "rb") as own:
            return own.read().decode(errors="replace")

    def serve_everybody(self):
        """Also workers of another pegasusd whose driver we are: they are users of their own."""
        os.chmod(os.path.dirname(self.directory), 0o711)
        os.chmod(self.directory, 0o755)
        os.chmod(os.path.join(self.directory, "guest.sock"), 0o666)

    def alive(self):
        return self.popen.poll() is None

    def kill(self):
        self.popen.kill()
        self.popen.wait()

    def terminate(self):
        self.popen.send_signal(signal.SIGTERM)
        return self.popen.wait(timeout=10)

    def close(self):
        if self.alive():
            self.kill()
        self._log.close()

    # --- asking

    def ctl(self, *words):
        """pegasusctl's own end: status, stdout, stderr."""
        return subprocess.run([self.build / "bin" / "pegasusctl", "--daemon", self.directory, *map(str, words)],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, env=self._environment,
                              timeout=30, check=False)

    def on_a_terminal(self, columns, *words):
        """What pegasusctl prints there: status and lines."""
        return on_a_terminal(columns, [self.build / "bin" / "pegasusctl", "--daemon", self.directory, *words], self._environment)

    def with_keys(self, *words):
        """pegasusctl on a terminal of its own."""
        return Terminal([self.build / "bin" / "pegasusctl", "--daemon", self.directory, *words], self._environment)

    def ask(self, *words):
        """The JSON document of a command that must succeed."""
        answer = self.ctl("--json", *words)
        if answer.returncode != 0:
            raise AssertionError(f"pegasusctl {words}: status {answer.returncode}: {answer.stderr}\n{self.log}")
        return json.loads(answer.stdout)

    def domains(self):
        return {domain["name"]: domain for domain in self.ask("domains")["domains"]}

    def tasks(self, domain):
        return self.domains().get(domain, {"tasks": []})["tasks"]

    def memory_used(self):
        return self.ask("accelerators")["accelerators"][0]["memory_used_bytes"]

    def wait_for_task(self, domain, calls=1, seconds=30):
        """The first task of `domain` once it has made `calls` calls."""
        def seen():
            return next((task for task in self.tasks(domain) if task["calls"] >= calls), None)
        return wait_until(seen, seconds, f"a task of domain {domain} makes {calls} calls")

    # --- leaks

    def workers(self):
        return [pid for pid in processes.children(self.pid) if processes.name_of(pid) == "pegasus-avcpu"]

    def descriptors(self):
        """Without those of what domains' programs compiled, which stay for the next program of the domain."""
        return processes.descriptors(self.pid) - processes.descriptors_named(self.pid, "pegasus-code")

    def wait_until_gone(self, domain, seconds=5):
        """The tasks, workers and memory of `domain` are given back, whatever its neighbours do meanwhile."""
        def look():
            now = self.domains()[domain]
            return not now["tasks"] and now["memory_used_bytes"] == 0
        wait_until(look, seconds, lambda: f"{domain} stays: {self.domains()[domain]}\n{self.log}")

    def wait_until_clean(self, seconds=10):
        """No task, no worker, no memory and no descriptor is left of what was there."""
        wait_until(lambda: not self.workers(), seconds, lambda: f"workers left: {self.workers()}")
        wait_until(lambda: self.memory_used() == 0, seconds, lambda: f"{self.memory_used()} bytes are not given back")
        expected = self.descriptors_at_start
        wait_until(lambda: self.descriptors() <= expected, seconds,
                   lambda: f"{self.descriptors()} descriptors are open, at most {expected} should be")

    # --- guests

    def environment_of_guest(self, domain=None):
        """What a program needs to use this daemon without `pegasus run` (docs: LD_LIBRARY_PATH, PEGASUS_SOCKET)."""
        guest = dict(self._environment, LD_LIBRARY_PATH=str(self.build / "lib"),
                     PEGASUS_SOCKET=os.path.join(self.directory, "guest.sock"))
        if domain:
            guest["PEGASUS_DOMAIN"] = domain
        return guest

    def run(self, command, domain=None, options=(), **how):
        """A program under `pegasus run --daemon`; the process is the program itself, for `pegasus` becomes it."""
        named = ["--domain", domain] if domain else []
        return Program([self.build / "bin" / "pegasus", "run", "--daemon", self.directory, *named, *options, "--",
                        *command], self._environment, **how)
