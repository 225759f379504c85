# SPDX-License-Identifier: Apache-2.0
"""The stages of ci/test, and the order in which they run."""

import os
import subprocess
import sys

from stage_runner import ALL, HALF, Stage, run
from tree import ROOT

FUZZ_SECONDS = 140 # of all targets together
DEMO_SECONDS = 2

# The simulator reads no bytes of others, and its runs in virtual time take minutes with the sanitizer: gcc's build has them.
NOT_WITH_ADDRESS = ("sim_test", "sim_figures_test")

# What has threads, or shares memory between threads or processes.
THREADED = ("loopback_test", "producer_test", "request_ring_test", "gate_test", "engine_test", "engine_wait_test", "quota_test",
            "worker_test", "daemon_test", "scheduling_thread_test", "cuda_context_test", "cuda_handles_test", "cuda_launch_test")

# Static checks; clang-tidy, which takes minutes where nothing is cached, is a stage of its own.
STATIC = ("format", "sizes", "includes", "purity", "abi", "spdx", "words", "docs", "titles")

ENVIRONMENT = {
    "CI": "true",
    "ASAN_OPTIONS": "detect_stack_use_after_return=1:strict_string_checks=1:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1",
}


def ctest(build, *options):
    return ["ctest", "--test-dir", os.path.join(ROOT, build), "--output-on-failure", "--no-tests=error", *options]


def xen(scenario, needs, counted=False):
    """`counted`: its time is counted in instructions, so a neighbour cannot change what it measures, another one's neither."""
    return Stage(f"xen-{scenario.lower()}", HALF, needs, ["python3", "-B", "-m", "unittest", "-v", f"test_xen.{scenario}"],
                 directory="tests/xen", kind="" if counted else "xen")


def quick():
    """What one runs before a commit."""
    return [
        Stage("static", HALF, [], ["ci/check", *STATIC]),
        Stage("build", HALF, [], ["ci/build", "unit_tests"], compiles=True),
        Stage("tidy", ALL, ["build"], ["ci/check", "tidy"]),
        Stage("unit", ALL, ["build"], ctest("build", "-j", str(os.cpu_count()), "-L", "unit")),
    ]


def everything():
    """Earlier stages go first. Xen's scenarios keep a core busy at most times: they run beside what compiles."""
    images = ["build-xen", "xen-images"]
    stages = [
        Stage("build-xen", HALF, [], ["xen-patches/build"], compiles=True),
        Stage("build-product", HALF, [], ["ci/build", "xen_machine_programs", "pegasus-sim"], compiles=True),
        Stage("static", HALF, [], ["ci/check", *STATIC]),
        Stage("xen-images", HALF, ["build-product", "build-xen"], ["tests/xen/machine/images"]),
        xen("Shares", images, counted=True),
        xen("Coupled", images, counted=True),
        xen("Coordination", images, counted=True),
        xen("Gaps", images, counted=True),
        xen("Figures", images, counted=True),
        xen("Credit2", images, counted=True),
        Stage("tidy", HALF, [], ["ci/check", "tidy"], compiles=True),
        Stage("build", HALF, ["build-product"], ["ci/build"], compiles=True),
        Stage("build-address", HALF, [], ["ci/build", "--sanitize", "address", "unit_tests"], compiles=True),
        Stage("tests-address", HALF, ["build-address"], ctest("build-asan", "-L", "unit", "-E", f"^({'|'.join(NOT_WITH_ADDRESS)})$")),
        xen("Functional", images),
        xen("Toolstack", images),
        xen("Lifecycle", images),
        xen("Hostile", images),
        xen("Admission", images),
        xen("Stock", images),
        xen("Demo", images),
        Stage("build-thread", HALF, [], ["ci/build", "--sanitize", "thread", *THREADED], compiles=True),
        Stage("tests-thread", HALF, ["build-thread"], ctest("build-tsan", "-R", f"^({'|'.join(THREADED)})$")),
        Stage("build-fuzz", HALF, [], ["ci/build", "--sanitize", "fuzz"], compiles=True),
    ]
    fuzzed = fuzz_targets()
    stages += [Stage(f"fuzz-{name}", HALF, ["build-fuzz"], ["ci/fuzz", name, str(FUZZ_SECONDS // len(fuzzed))]) for name in fuzzed]
    stages += [
        Stage("hardening", HALF, ["build"], ["ci/check", "hardening"]),
        Stage("real-driver", HALF, ["build"], ["ci/real-driver"]),
        Stage("unit", HALF, ["build"], ctest("build", "-L", "unit"), kind="ctest"),
        Stage("end-to-end", HALF, ["build"], ctest("build", "-LE", "unit|alone"), kind="ctest"),
        Stage("end-to-end-alone", ALL, ["build"], ctest("build", "-L", "alone")), # they measure
        Stage("demo", ALL, ["build"], ["build/bin/pegasus", "demo", "--duration", f"{DEMO_SECONDS}s"]),
    ]
    return stages


def fuzz_targets():
    return subprocess.run([os.path.join(ROOT, "ci/fuzz"), "--list"], check=True, capture_output=True, text=True).stdout.split()


sys.exit(run(quick() if sys.argv[1:] == ["--quick"] else everything(), ENVIRONMENT))
