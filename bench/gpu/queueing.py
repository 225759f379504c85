# SPDX-License-Identifier: Apache-2.0
"""Short kernels back to back while few launches may wait on the device: what the bound costs (work_queue.h)."""
from overhead import rounds_for
from stage import best

KERNELS_US = (5, 20)
BOUNDS = (256, 16, 4, 1)  # the first is what the others are compared with


def measure(stage, seconds):
    rounds = {length: rounds_for(stage, stage.ours(), length) for length in KERNELS_US}
    rows = []
    for length in KERNELS_US:
        count = max(512, int(seconds * 1e6 / length))
        command = stage.workload("throttle", "--rounds", rounds[length], "--kernels", count, "--sync-every", 512)
        unbounded = None
        for bound in BOUNDS:
            daemon = stage.start_daemon(f"queued{length}-{bound}", options=["--queued-launches", str(bound)])
            took = best(daemon.run, command, "seconds")
            daemon.close()
            unbounded = unbounded or took
            rows.append({"kernel_us": length, "queued launches": bound, "us_per_launch": 1e6 * took / count,
                         "slowdown": took / unbounded})
    return {"title": "Queueing", "rows": rows, "failed": 0}
