# SPDX-License-Identifier: Apache-2.0
"""Device time as pegasusd accounts for it, against the device's own: event timers around kernels that follow each other
without a gap; without a GPU, what the other pegasusd accounted for, since there launches are slower than kernels."""
import time

import overhead
from stage import finished

GOAL = 0.01  # FairGV, Table 2: 3 %


def by_device(stage):
    if stage.on_gpu:
        return 0
    while stage.device.tasks("gpu"):  # a task is counted up to its end
        time.sleep(0.01)
    domains = stage.device.domains()
    return domains["gpu"]["device_busy_ns"] / 1e9 if "gpu" in domains else 0


def measure(stage, seconds):
    for length in stage.budget.each(overhead.KERNELS_US, "kernels of {} us".format):
        rounds = overhead.rounds_for(stage, stage.ours(), length)
        count = max(64, int(seconds * 1e6 / length))
        domain = f"account{length}"
        stage.daemon.ask("set", "--create", domain, "credits=256")
        before = by_device(stage)
        program = stage.daemon.run(stage.workload("throttle", "--rounds", rounds, "--kernels", count, "--sync-every",
                                                  count), domain=domain)
        result = finished(program)
        by_us = stage.daemon.domains()[domain]["device_busy_ns"] / 1e9
        truth = result["device_s"] if stage.on_gpu else by_device(stage) - before
        yield {"what": f"{count} kernels of {length} us", "device_s": truth, "accounted_s": by_us,
               "error": by_us / truth - 1, "goal": GOAL}
