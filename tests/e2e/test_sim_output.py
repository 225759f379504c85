# SPDX-License-Identifier: Apache-2.0
"""What pegasus-sim prints and writes for a reader: the list, and what it says of a full disk."""
import fcntl
import os
import pty
import struct
import subprocess
import termios
import unittest
from pathlib import Path

from support import BUILD
from test_sim import SCENARIOS, papers, simulate


def on_a_terminal(columns, *words):
    """The lines that it prints on a terminal so wide."""
    terminal, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen([Path(BUILD) / "bin" / "pegasus-sim", *words], stdout=end)
    os.close(end)
    text = b""
    try:
        while part := os.read(terminal, 4096):
            text += part
    except OSError:  # the end, on a terminal
        pass
    os.close(terminal)
    return process.wait(timeout=60), text.decode().splitlines()


class SimOutput(unittest.TestCase):
    def test_the_list_is_in_natural_order_and_says_what_varies(self):
        listed = simulate("--list").stdout
        names = [line.split()[0] for line in listed.splitlines()]
        self.assertEqual(names, sorted((path.stem for path in SCENARIOS), key=papers().natural))
        self.assertLess(names.index("fleig-fig5.2-bfs"), names.index("fleig-fig5.10-srad_v1"))
        self.assertNotIn("$", listed)

    def test_the_list_fits_on_a_terminal(self):
        for columns, least in ((100, len(SCENARIOS) + 5), (70, len(SCENARIOS) + 40), (200, len(SCENARIOS) + 5)):
            status, lines = on_a_terminal(columns, "--list")
            self.assertEqual(status, 0)
            self.assertLessEqual(max(map(len, lines)), min(columns, 100))
            self.assertGreater(len(lines), least)

    def test_a_full_disk_is_an_error(self):
        words = ("shares", "--policy", "fair", "--set", "duration=100ms")
        for option in ("--report", "--trace"):
            answer = simulate(*words, option, "/dev/full")
            self.assertEqual((answer.returncode, answer.stdout), (1, ""), option)
            self.assertEqual(answer.stderr, "pegasus-sim: cannot write /dev/full: No space left on device\n")
        for output in (words, (*words, "--json"), ("--list",), ("--help",)):
            with open("/dev/full", "wb") as full:
                answer = subprocess.run([Path(BUILD) / "bin" / "pegasus-sim", *output], stdout=full,
                                        stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual(answer.returncode, 1, output)
            self.assertEqual(answer.stderr, "pegasus-sim: cannot write standard output: No space left on device\n")


if __name__ == "__main__":
    unittest.main()
