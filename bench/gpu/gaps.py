# SPDX-License-Identifier: Apache-2.0
"""A program that computes on the CPU before each kernel, and waits for it, beside one whose kernels follow each other:
what each does, in parts of what it does alone. Each is owed a half.

gap_us, kernel_us: of the first program; alone_us: a step of it when nothing disturbs it."""
import signal
import time

from fairness import LONGEST_S, command
from overhead import rounds_for
from stage import Failed, finished

# (gap, kernel, the other program's kernels) in us
CELLS = ((100, 100, 500), (100, 100, 3000), (300, 100, 3000), (1000, 300, 3000), (3000, 300, 3000), (100, 20, 5000))
GAPS, OTHER = "gaps", "other"
CALLS_OF_A_STEP = 2  # a launch and the wait for it
CALIBRATION = 1000000  # rounds on the CPU: about a millisecond, and a kernel beside them that is hardly more
BEGIN_S = 60


def coupled(stage, cpu_rounds, rounds, seconds=LONGEST_S):
    return stage.workload("coupled", "--in-turn", 1, "--launches", 1, "--cpu-rounds", cpu_rounds, "--rounds", rounds,
                          "--seconds", seconds)


def wait_until_all_launch(daemon, names):
    """Each of them has launched kernels."""
    deadline = time.monotonic() + BEGIN_S
    while not all(any(task["calls"] > 50 for task in daemon.tasks(name)) for name in names):
        if time.monotonic() > deadline:
            raise Failed(f"{names} do not begin within {BEGIN_S} s")
        time.sleep(0.01)


def calls_per_second(daemon, commands, seconds):
    """What each of the programs, by domain, calls while all of them run; they verify afterwards."""
    programs = [daemon.run(words, domain=domain) for domain, words in commands.items()]
    try:
        wait_until_all_launch(daemon, commands)
        first, began = daemon.domains(), time.monotonic()
        time.sleep(seconds)
        last, took = daemon.domains(), time.monotonic() - began
        for program in programs:
            program.popen.send_signal(signal.SIGUSR1)  # both then end, and verify
        for program in programs:
            finished(program)
    finally:
        for program in programs:
            program.close()
    for domain in commands:
        daemon.wait_until_gone(domain)  # else the next program of this domain seems to have begun
    return {domain: (last[domain]["calls"] - first[domain]["calls"]) / took for domain in commands}


def measure(stage, seconds, policies):
    rounds = {length: rounds_for(stage, stage.ours(), length) for length in {us for cell in CELLS for us in cell[1:]}}

    def alone(words):
        return calls_per_second(stage.daemon, {"alone": words}, seconds)["alone"]

    round_us = CALLS_OF_A_STEP * 1e6 / alone(coupled(stage, CALIBRATION, 1)) / CALIBRATION
    firsts = {cell: coupled(stage, int(cell[0] / round_us), rounds[cell[1]]) for cell in CELLS}
    others = {length: command(stage, rounds[length], LONGEST_S) for length in {cell[2] for cell in CELLS}}
    first_alone = {cell: alone(words) for cell, words in firsts.items()}
    other_alone = {length: alone(words) for length, words in others.items()}
    for policy in stage.budget.each(policies, "policy {}".format):
        daemon = stage.start_daemon(f"gaps-{policy}", policy=policy)
        for cell in stage.budget.each(CELLS, lambda one, policy=policy: f"{policy}: {one}"):
            rates = calls_per_second(daemon, {GAPS: firsts[cell], OTHER: others[cell[2]]}, seconds)
            parts = rates[GAPS] / first_alone[cell], rates[OTHER] / other_alone[cell[2]]
            yield {"policy": policy, "gap_us": cell[0], "kernel_us": cell[1], "other_us": cell[2],
                   "alone_us": CALLS_OF_A_STEP * 1e6 / first_alone[cell], GAPS: parts[0], OTHER: parts[1], "sum": sum(parts)}
        daemon.close()
