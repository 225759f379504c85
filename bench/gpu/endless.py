# SPDX-License-Identifier: Apache-2.0
"""A kernel that does not end and is not split, beside neighbours: how long until it is killed, and what the neighbours
have meanwhile and afterwards. And what a program has after it reset its device, in a new context."""
import signal
import time

from fairness import LONGEST_S, command, wait_until_all_begin
from overhead import rounds_for
from stage import Failed, finished

RUNAWAY_MS = 1000
MOST_S = 60  # for the end of the killed program
NEIGHBOURS = ("left", "right")


def latency_ms(daemon, key):
    return max(daemon.domains()[name]["latency_us"][key] for name in NEIGHBOURS) / 1e3


def kill(stage):
    rounds = rounds_for(stage, stage.ours(), 500)
    daemon = stage.start_daemon("endless", options=["--slice", "0", "--runaway", f"{RUNAWAY_MS}ms"])
    neighbours = [daemon.run(command(stage, rounds, LONGEST_S), domain=name) for name in NEIGHBOURS]
    try:
        wait_until_all_begin(neighbours)
        yield {"what": "neighbours' longest call before, their start included", "value": latency_ms(daemon, "p99"), "unit": "ms"}
        begin = time.monotonic()
        endless = daemon.run(stage.workload("throttle", "--rounds", 1 << 28, "--blocks", 65535, "--threads", 1024,
                                            "--kernels", 1), domain="bad")
        try:
            endless.ended(MOST_S)
        finally:
            endless.close()
        yield {"what": f"until a kernel without end is killed, with --runaway {RUNAWAY_MS}ms",
               "value": time.monotonic() - begin, "unit": "s", "verified": daemon.domains()["bad"]["conduct"]["killed_tasks"] == 1}
        yield {"what": "neighbours' longest call with it", "value": latency_ms(daemon, "p99"), "unit": "ms"}
        for program in neighbours:
            program.popen.send_signal(signal.SIGUSR1)  # throttle then ends, and verifies
        for name, program in zip(NEIGHBOURS, neighbours):
            finished(program)
            yield {"what": f"the neighbour {name}", "verified": True}
        yield {"what": "another program on the device afterwards", "verified": True,
               "value": finished(daemon.run(stage.workload("vector_add"), domain="bad"))["seconds"], "unit": "s"}
    finally:
        for program in neighbours:
            program.close()


def reset(stage):
    for name, start in (("under pegasusd", stage.ours("reset")), ("natively", stage.reference())):
        if start is None:
            continue
        try:
            result = finished(start(stage.workload("device_reset")))
            yield {"what": f"contexts after cudaDeviceReset, {name}", "verified": True, "value": result["seconds"],
                   "unit": "s"}
        except Failed as failure:
            yield {"what": f"contexts after cudaDeviceReset, {name}", "verified": False, "why": str(failure)}
