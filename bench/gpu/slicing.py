# SPDX-License-Identifier: Apache-2.0
"""A long kernel whole and in pieces of several sizes: the slowdown, as FairGV's Table 4 has it."""
import contextlib
import functools
import re

from stage import best, finished

PIECES = (300, 750, 1500, 3000, 6000, 15000)  # thread blocks; no fewer than fit on the device at once
GOAL, GOAL_FROM = 1.05, 1500  # FairGV, 5.5.2: below 5 % with 1,500 blocks or more
# Blocks of many threads, so that few of them fill a GPU; the software accelerator runs them one by one anyway.
ON_GPU = {"blocks": 60000, "threads": 1024, "microseconds": 50000}
WITHOUT = {"blocks": 6000, "threads": 64, "microseconds": 30000}


def pieces_told(daemon):
    """The blocks a piece of the last launches, as the worker's log has them; None: they were whole."""
    told = re.findall(r"is split into pieces of (\d+)", daemon.log)
    return int(told[-1]) if told else None


@contextlib.contextmanager
def a_domain_that_waits(stage, daemon):
    """Kernels are split only while another domain waits. This one has short kernels, and next to no credits. Gives a
    function that runs a command beside it."""
    daemon.ask("set", "--create", "long", "credits=65535")
    daemon.ask("set", "--create", "waits", "credits=1")
    waits = daemon.run(stage.workload("throttle", "--rounds", 1, "--seconds", 3600, "--sync-every", 1), domain="waits")
    try:
        daemon.wait_for_task("waits", calls=20)
        yield functools.partial(daemon.run, domain="long")
    finally:
        waits.close()


def measure(stage, seconds):
    kernel = ON_GPU if stage.on_gpu else WITHOUT
    shape = ("--blocks", kernel["blocks"], "--threads", kernel["threads"], "--sync-every", 1)
    daemon = stage.start_daemon("whole", options=["--slice", "0"])
    calibrated = finished(daemon.run(stage.workload("throttle", "--microseconds", kernel["microseconds"], "--kernels", 1,
                                                    *shape)))["text"]
    rounds = int(re.search(r"throttle: (\d+) rounds a kernel", calibrated).group(1))
    count = max(8, int(seconds * 1e6 / kernel["microseconds"]))
    command = stage.workload("throttle", "--rounds", rounds, "--kernels", count, *shape)
    with a_domain_that_waits(stage, daemon) as run:
        whole = best(run, command, "seconds") / count
    daemon.close()
    yield {"pieces": 1, "blocks a piece": kernel["blocks"], "kernel_ms": 1e3 * whole, "slowdown": 1.0, "goal": None}
    for wanted in stage.budget.each((piece for piece in PIECES if piece <= kernel["blocks"] / 2), "{} blocks a piece".format):
        slice_us = max(1, int(1e6 * whole * wanted / kernel["blocks"]))
        daemon = stage.start_daemon(f"pieces{wanted}", options=["--slice", f"{slice_us}us"])
        # The first launch of a program is whole: nothing is known of the kernel yet.
        with a_domain_that_waits(stage, daemon) as run:
            sliced = (best(run, command, "seconds") - whole) / (count - 1)
        piece = pieces_told(daemon)
        daemon.close()
        yield {"pieces": -(-kernel["blocks"] // piece) if piece else 1,
               "blocks a piece": piece or kernel["blocks"], "kernel_ms": 1e3 * sliced, "slowdown": sliced / whole,
               "goal": GOAL if piece and piece >= GOAL_FROM else None}
