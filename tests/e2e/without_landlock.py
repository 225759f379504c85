# SPDX-License-Identifier: Apache-2.0
"""Runs a command as on a kernel without Landlock: a seccomp filter (seccomp(2)) answers its first call with ENOSYS.
Usage: without_landlock.py COMMAND..."""
import ctypes
import errno
import os
import struct
import sys

LANDLOCK_CREATE_RULESET = 444
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, FILTER = 22, 38, 2
LOAD_NUMBER, IF_EQUAL, RETURN = 0x20, 0x15, 0x06  # of classic BPF
ALLOW, FAIL = 0x7fff0000, 0x00050000

instructions = [(LOAD_NUMBER, 0, 0, 0), (IF_EQUAL, 0, 1, LANDLOCK_CREATE_RULESET), (RETURN, 0, 0, FAIL | errno.ENOSYS),
                (RETURN, 0, 0, ALLOW)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *one) for one in instructions))
program = ctypes.create_string_buffer(struct.pack("HP", len(instructions), ctypes.addressof(code)))
prctl = ctypes.CDLL(None, use_errno=True).prctl
if os.geteuid() != 0:  # root needs no promise
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
if prctl(PR_SET_SECCOMP, FILTER, program) != 0:
    sys.exit(f"seccomp: {os.strerror(ctypes.get_errno())}")
os.execvp(sys.argv[1], sys.argv[1:])
