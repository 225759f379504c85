# SPDX-License-Identifier: Apache-2.0
"""Short kernels back to back beside another domain, while few launches may be on the device: what the bound
costs (work_queue.h)."""
import signal

from fairness import LONGEST_S, command, wait_until_all_begin
from overhead import rounds_for
from stage import best, finished

KERNELS_US = (5, 20)
BOUNDS = (256, 16, 4, 2, 1)  # the first is what the others are compared with


def beside(stage, daemon, words, rounds):
    """Seconds of the program `words` while another domain computes without a pause."""
    other = daemon.run(command(stage, rounds, LONGEST_S), domain="other")
    try:
        wait_until_all_begin([other])
        took = best(daemon.run, words, "seconds")
        other.popen.send_signal(signal.SIGUSR1)  # throttle then ends, and verifies
        finished(other)
    finally:
        other.close()
    return took


def measure(stage, seconds):
    rounds = {length: rounds_for(stage, stage.ours(), length) for length in KERNELS_US}
    for length in KERNELS_US:
        count = max(512, int(seconds * 1e6 / length / 4))
        words = stage.workload("throttle", "--rounds", rounds[length], "--kernels", count, "--sync-every", 512)
        unbounded = None
        for bound in stage.budget.each(BOUNDS, f"kernels of {length} us, {{}} queued".format):
            daemon = stage.start_daemon(f"queued{length}-{bound}", options=["--queued-launches", str(bound)])
            took = beside(stage, daemon, words, rounds[length])
            daemon.close()
            unbounded = unbounded or took
            yield {"kernel_us": length, "queued launches": bound, "us_per_launch": 1e6 * took / count,
                   "slowdown": took / unbounded}
