# SPDX-License-Identifier: Apache-2.0
"""One program under test: started, watched, and never left behind."""
import json
import subprocess
import tempfile
import time


class Program:
    def __init__(self, command, environment, stdin=subprocess.DEVNULL, directory=None):
        self.command = [str(word) for word in command]
        # Files, not pipes: no reader is needed while the program runs, and a forgotten one blocks nothing.
        self._out = tempfile.TemporaryFile()
        self._err = tempfile.TemporaryFile()
        self.started = time.monotonic()
        self.popen = subprocess.Popen(self.command, stdin=stdin, stdout=self._out, stderr=self._err,
                                      env=environment, cwd=directory)

    @property
    def pid(self):
        return self.popen.pid

    @staticmethod
    def _text(file):
        # pread would do, but the file's offset is the child's too: a duplicate by name has its own.
        with open(f"/proc/self/fd/{file.fileno()}", "rb") as own:
            return own.read()

    @property
    def out(self):
        return self._text(self._out).decode(errors="replace")

    @property
    def err(self):
        return self._text(self._err).decode(errors="replace")

    @property
    def out_bytes(self):
        return self._text(self._out)

    @property
    def err_bytes(self):
        return self._text(self._err)

    def runs(self):
        return self.popen.poll() is None

    def ended(self, within=60):
        """Its exit status (negative: the signal); AssertionError when it does not end in time."""
        try:
            return self.popen.wait(timeout=within)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"still running after {within} s: {self}") from None

    def runs_for(self, seconds):
        """Returns when it has run `seconds` longer; AssertionError when it ends before."""
        try:
            self.popen.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            return
        raise AssertionError(f"ended too early: {self}")

    def say(self, line):
        """Writes a line to a program that was started with stdin=PIPE."""
        self.popen.stdin.write(line.encode() + b"\n")
        self.popen.stdin.flush()

    def send(self, number):
        self.popen.send_signal(number)

    def kill(self):
        if self.runs():
            self.popen.kill()
        self.popen.wait()

    def close(self):
        self.kill()
        if self.popen.stdin:
            self.popen.stdin.close()
        self._out.close()
        self._err.close()

    def result(self):
        """The workload's own result line (workloads/README.md) as a dictionary; None without one."""
        for line in self.out.splitlines():
            if line.startswith("result: "):
                return json.loads(line[len("result: "):])
        return None

    def passed(self):
        lines = self.out.split("\n")
        result = self.result()
        return (self.popen.poll() == 0 and result is not None and result["verified"] is True
                and [line for line in lines if line][-1] == "PASS")

    def __str__(self):
        return (f"{' '.join(self.command)}\nstatus {self.popen.poll()}\n--- its stdout\n{self.out[-4000:]}"
                f"\n--- its stderr\n{self.err[-4000:]}\n---")
