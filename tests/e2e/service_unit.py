# SPDX-License-Identifier: Apache-2.0
"""Runs a command with what pegasusd.service takes away taken away, where no systemd does it. For root.

usage: service_unit.py DIRECTORY COMMAND...    DIRECTORY is RuntimeDirectory=

A line of [Service] that this file does not know is an error, so none goes untried unnoticed. What only systemd can do is
named in LEFT_TO_SYSTEMD.
"""
import ctypes
import errno
import os
import re
import subprocess
import sys
from pathlib import Path

UNIT = Path(__file__).resolve().parents[2] / "docs" / "operators" / "pegasusd.service"
# How it is started and bounded, not what it may do; and rules that are programs in the kernel, which a control group has.
LEFT_TO_SYSTEMD = {"ExecStart", "RuntimeDirectory", "RuntimeDirectoryMode", "Restart", "RestartPreventExitStatus", "Delegate",
                   "OOMScoreAdjust", "LimitNOFILE", "DevicePolicy", "DeviceAllow", "IPAddressDeny"}
NAMESPACES = {"mnt": 0x20000, "cgroup": 0x2000000, "uts": 0x4000000, "ipc": 0x8000000, "user": 0x10000000, "pid": 0x20000000,
              "net": 0x40000000}
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
NOT_EQUAL, EQUAL, MASKED_EQUAL = 1, 4, 7
SET_ID_BITS = (0o4000, 0o2000)
MODE_ARGUMENT = {"chmod": 1, "fchmod": 1, "fchmodat": 2, "mkdir": 1, "mkdirat": 2, "mknod": 1, "mknodat": 2, "open": 2,
                 "openat": 3, "creat": 1}
REALTIME = (1, 2)  # SCHED_FIFO, SCHED_RR
KERNEL_MODULES = ("init_module", "finit_module", "delete_module")


def settings():
    """{name: [value]} of [Service], each line's value in the file's order."""
    section = UNIT.read_text().split("[Service]")[1].split("[Install]")[0]
    found = {}
    for name, value in re.findall(r"^(\w+)=(.*)$", section, re.M):
        found.setdefault(name, []).append(value)
    return found


def calls_of(names):
    """The system calls of a list as in SystemCallFilter=."""
    calls = set()
    for name in names:
        if name.startswith("@"):
            listed = subprocess.run(["systemd-analyze", "syscall-filter", "--no-pager", name], check=True, capture_output=True,
                                    text=True).stdout
            calls |= calls_of(re.findall(r"^    ([@\w-]+)$", listed, re.M))
        else:
            calls.add(name)
    return calls


class Comparison(ctypes.Structure):
    _fields_ = [("argument", ctypes.c_uint), ("operator", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]


class Filter:
    library = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_init.restype = ctypes.c_void_p

    def __init__(self, otherwise):
        self.context = ctypes.c_void_p(self.library.seccomp_init(ctypes.c_uint32(otherwise)))

    def add(self, action, call, *comparisons):
        number = self.library.seccomp_syscall_resolve_name(call.encode())
        if number < 0:  # not on this machine
            return
        array = (Comparison * len(comparisons))(*comparisons)
        assert self.library.seccomp_rule_add_array(self.context, ctypes.c_uint32(action), number, len(comparisons), array) == 0

    def load(self):
        assert self.library.seccomp_load(self.context) == 0


def allow_calls(lines, error):
    calls = calls_of(["@default"])
    for line in lines:
        if line.startswith("~"):
            calls -= calls_of(line[1:].split())
        else:
            calls |= calls_of(line.split())
    only = Filter(ERRNO | getattr(errno, error))
    for call in calls:
        only.add(ALLOW, call)
    only.load()


def forbid(found):
    """What systemd makes of Restrict...=, Protect...= and LockPersonality= besides mounts."""
    deny = Filter(ALLOW)
    refused = ERRNO | errno.EPERM
    families = found["RestrictAddressFamilies"]
    assert families == ["AF_UNIX"], families
    deny.add(ERRNO | errno.EAFNOSUPPORT, "socket", Comparison(0, NOT_EQUAL, 1, 0))
    for name in NAMESPACES.keys() - set(found["RestrictNamespaces"][0].split()):
        bit = NAMESPACES[name]
        for call, argument in (("clone", 0), ("unshare", 0), ("setns", 1)):
            deny.add(refused, call, Comparison(argument, MASKED_EQUAL, bit, bit))
    deny.add(ERRNO | errno.ENOSYS, "clone3")
    deny.add(ERRNO | errno.ENOSYS, "openat2")
    for call, argument in MODE_ARGUMENT.items():
        for bit in SET_ID_BITS:
            deny.add(refused, call, Comparison(argument, MASKED_EQUAL, bit, bit))
    for policy in REALTIME:
        deny.add(refused, "sched_setscheduler", Comparison(1, EQUAL, policy, 0))
    deny.add(refused, "personality", Comparison(0, NOT_EQUAL, 0, 0))
    for call in ("settimeofday", "clock_settime", "adjtimex", "clock_adjtime", *KERNEL_MODULES):
        deny.add(refused, call)
    deny.load()


def mount(*words):
    subprocess.run(["mount", *words], check=True)


def restrict_files(directory):
    """ProtectSystem=strict, ProtectHome=, PrivateTmp=, ProtectKernelModules=: in mounts of its own (PrivateMounts=)."""
    mount("--make-rprivate", "/")
    kept = os.open(directory, os.O_PATH)
    mount("-t", "tmpfs", "-o", "mode=1777", "tmpfs", "/tmp")
    Path(directory).mkdir(parents=True, exist_ok=True)
    mount("--no-canonicalize", "--bind", f"/proc/{os.getpid()}/fd/{kept}", directory)
    os.close(kept)
    for empty in ("/home", "/root", "/run/user", "/usr/lib/modules"):
        if os.path.isdir(empty):
            mount("-t", "tmpfs", "-o", "mode=000,ro", "tmpfs", empty)
    places = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    for place in places:
        if not re.match(rf"/(dev|proc|sys|tmp)(/|$)", place) and os.path.exists(place):
            mount("-o", "remount,bind,ro", place)


EXPECTED = {"ProtectSystem": ["strict"], "ProtectHome": ["yes"], "PrivateTmp": ["yes"], "PrivateMounts": ["yes"],
            "PrivateNetwork": ["yes"], "ProtectClock": ["yes"], "ProtectKernelModules": ["yes"],
            "LockPersonality": ["yes"], "RestrictRealtime": ["yes"], "RestrictSUIDSGID": ["yes"], "NoNewPrivileges": ["yes"],
            "SystemCallArchitectures": ["native"]}
USED = {"CapabilityBoundingSet", "UMask", "RestrictAddressFamilies", "RestrictNamespaces", "SystemCallFilter",
        "SystemCallErrorNumber"}


def main(directory, *command):
    found = settings()
    unknown = found.keys() - LEFT_TO_SYSTEMD - USED - EXPECTED.keys()
    different = {name for name, value in EXPECTED.items() if found.get(name) != value}
    if unknown or different:
        sys.exit(f"service_unit.py does not do what {UNIT.name} says of {', '.join(sorted(unknown | different))}")
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(NAMESPACES["mnt"] | NAMESPACES["net"]) != 0:
        sys.exit(f"service_unit.py: no namespaces: {os.strerror(ctypes.get_errno())}")
    restrict_files(directory)
    os.umask(int(found["UMask"][0], 8))
    kept = ",".join(["-all"] + [name.lower().replace("cap_", "+") for name in found["CapabilityBoundingSet"][0].split()])
    forbid(found)
    allow_calls(found["SystemCallFilter"], found["SystemCallErrorNumber"][0])
    os.execvp("setpriv", ["setpriv", "--no-new-privs", "--bounding-set", kept, "--inh-caps", kept, *command])


if __name__ == "__main__":
    main(*sys.argv[1:])
