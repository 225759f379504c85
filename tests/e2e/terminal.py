# SPDX-License-Identifier: Apache-2.0
"""A terminal of a given width, on which a program prints."""
import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time


def on_a_terminal(columns, command, environment=None):
    """The exit status, and the lines that it prints on a terminal so wide."""
    terminal, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=end, env=environment)
    os.close(end)
    text = b""
    try:
        while part := os.read(terminal, 4096):
            text += part
    except OSError:  # the end, on a terminal
        pass
    os.close(terminal)
    return process.wait(timeout=60), text.decode().splitlines()


class Terminal:
    """A program with a terminal of 24 lines and 80 columns to itself: what it shows, and keys for it."""

    def __init__(self, command, environment=None):
        self._ours, self._its = pty.openpty()
        fcntl.ioctl(self._its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.before = termios.tcgetattr(self._its)
        self.shown = ""

        def take_terminal():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self._process = subprocess.Popen(list(map(str, command)), stdin=self._its, stdout=self._its, env=environment,
                                         preexec_fn=take_terminal)

    def settings(self):
        return termios.tcgetattr(self._its)

    def press(self, keys):
        """Forgets what was shown before."""
        self._read(0)
        self.shown = ""
        os.write(self._ours, keys.encode())

    def sees(self, text, within=20):
        until = time.monotonic() + within
        while text not in self.shown and time.monotonic() < until:
            self._read(0.1)
        return text in self.shown

    def end(self, within=20):
        status = self._process.wait(timeout=within)
        self._read(0)
        return status

    def close(self):
        self._process.kill()
        self._process.wait()
        os.close(self._ours)
        os.close(self._its)

    def _read(self, patience):
        while select.select([self._ours], [], [], patience)[0]:
            self.shown += os.read(self._ours, 65536).decode(errors="replace")
            patience = 0
