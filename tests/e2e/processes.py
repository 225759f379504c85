# SPDX-License-Identifier: Apache-2.0
"""What /proc says about processes (proc(5))."""
import collections
import os
import re
from pathlib import Path


def _stat(pid):
    """The fields after the command's name, which may itself hold blanks and brackets; None: no such process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return text[text.rindex(")") + 2:].split()


def name_of(pid):
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def alive(pid):
    """A zombie has ended: only its parent has not looked yet."""
    stat = _stat(pid)
    return stat is not None and stat[0] not in "ZX"


def every_pid():
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]


def children(pid):
    return [child for child in every_pid() if (stat := _stat(child)) and int(stat[1]) == pid and stat[0] not in "ZX"]


def command_line(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except (FileNotFoundError, ProcessLookupError):
        return []


def mentioning(text):
    """Processes with `text` in their command line, except this one."""
    return [pid for pid in every_pid() if pid != os.getpid() and any(text in word for word in command_line(pid))]


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def descriptors_named(pid, name):
    """How many of them are files in memory with this name."""
    def target(number):
        try:
            return os.readlink(f"/proc/{pid}/fd/{number}")
        except FileNotFoundError:
            return ""
    return sum(target(number).startswith(f"/memfd:{name} ") for number in os.listdir(f"/proc/{pid}/fd"))


def threads(pid):
    """What status says of each, by name."""
    all_of_them = []
    for thread in os.listdir(f"/proc/{pid}/task"):
        lines = Path(f"/proc/{pid}/task/{thread}/status").read_text().splitlines()
        all_of_them.append(dict(line.split(":\t", 1) for line in lines if ":\t" in line))
    return all_of_them


Area = collections.namedtuple("Area", "offset size may_write")


def shared_memory(pid):
    """What it maps of memory that has a name and no file, by name: offset and size in bytes, and whether it may ever write there."""
    areas = collections.defaultdict(list)
    for line in Path(f"/proc/{pid}/smaps").read_text().splitlines():
        begins = re.match(r"(\w+)-(\w+) \S+ (\w+) \S+ \d+ +/memfd:(\S+)", line)
        if begins:
            first, end, offset, name = begins.groups()
        elif re.match(r"\w+-\w+ ", line):
            name = None
        elif line.startswith("VmFlags:") and name:
            areas[name].append(Area(int(offset, 16), int(end, 16) - int(first, 16), "mw" in line.split()))
    return areas


def namespaces(pid):
    return {name: os.readlink(f"/proc/{pid}/ns/{name}") for name in ("mnt", "pid", "net", "ipc", "uts", "user")}


def cpu_seconds(pid):
    """User and system time of all threads; schedstat counts nanoseconds where stat counts clock ticks."""
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        total += int(Path(f"/proc/{pid}/task/{thread}/schedstat").read_text().split()[0])
    return total / 1e9


def resident_kib(pid):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise AssertionError(f"no process {pid}, or it has ended")
