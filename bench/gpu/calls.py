# SPDX-License-Identifier: Apache-2.0
"""The system calls of a small CUDA program on the driver itself: what the sandbox of a worker has to let through."""
import collections
import re
import subprocess

CALL = re.compile(r"^\d+ +(?:<\.\.\. )?(\w+)(?:\(| resumed)")
FAILED = re.compile(r"^\d+ +(\w+)\((.*)\) += -1 (E\w+)")
REFUSED = re.compile(r"= -1 (EPERM|EACCES|ENOSYS)|--- SIG(SYS|TRAP|SEGV|BUS|ILL)|killed by")
OPENED = re.compile(r'open(?:at)?\((?:AT_FDCWD, )?"([^"]+)", ([A-Z_|]+)')


def summary(trace):
    """Of a trace of strace -f: calls by number, failed calls by reason, files by how they were opened."""
    calls, failures, files = collections.Counter(), collections.Counter(), {}
    for line in trace.splitlines():
        if seen := CALL.match(line):
            calls[seen[1]] += 1
        if failed := FAILED.match(line):
            failures[f"{failed[1]}({failed[2][:100]}): {failed[3]}"] += 1
        if opened := OPENED.search(line):
            files[opened[1]] = opened[2]
    return calls, failures, files


def refused(trace, most=40):
    """The calls that the kernel or a sandbox refused, the last ones of many."""
    lines = [line for line in trace.splitlines() if REFUSED.search(line)]
    return "\n".join(lines[-most:])


def measure(stage):
    strace = stage.strace()
    if strace is None:
        yield {"what": "strace", "text": "none that works here: the calls are not listed"}
        return
    trace = stage.new_file("native.strace")
    done = subprocess.run([strace, "-f", "-o", trace, *map(str, stage.workload("driver_api"))], capture_output=True,
                          text=True, errors="replace", timeout=120, check=False, env=stage.native_environment())
    yield {"what": "the program", "verified": done.returncode == 0, "text": (done.stdout + done.stderr)[-2000:]}
    calls, failures, files = summary(trace.read_text(errors="replace"))
    yield {"what": "calls", "text": "\n".join(f"{count:7} {name}" for name, count in sorted(calls.items()))}
    yield {"what": "failed calls", "text": "\n".join(f"{count:7} {name}" for name, count in sorted(failures.items()))}
    yield {"what": "files", "text": "\n".join(f"{flags:24} {path}" for path, flags in sorted(files.items()))}
