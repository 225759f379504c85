# SPDX-License-Identifier: Apache-2.0
"""A terminal of a given width, on which a program prints."""
import fcntl
import os
import pty
import struct
import subprocess
import termios


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
