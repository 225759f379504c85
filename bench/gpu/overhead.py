# SPDX-License-Identifier: Apache-2.0
"""The same program under pegasusd and on what it is measured against, in one run: the ratio of their times."""
import re

from stage import Failed, best, finished, wall

KERNELS_US = (5, 21, 51, 102, 172, 285, 391)  # FairGV, Figure 2
GOAL = {"kernels": 1.02, "copies": 1 / 0.98}


def rounds_for(stage, start, microseconds):
    """Steps of a kernel of that length, as the reference calibrates it."""
    text = finished(start(stage.workload("throttle", "--microseconds", microseconds, "--kernels", 1)))["text"]
    return int(re.search(r"throttle: (\d+) rounds a kernel", text).group(1))


def row(name, reference, ours, goal=None):
    return {"what": name, "reference": reference, "ours": ours, "ratio": ours / reference, "goal": goal}


def kernels(stage, reference, seconds):
    for length in stage.budget.each(KERNELS_US, "kernels of {} us".format):
        rounds = rounds_for(stage, reference, length)
        count = max(64, int(seconds * 1e6 / length))
        for every in (1, 64):
            command = stage.workload("throttle", "--rounds", rounds, "--kernels", count, "--sync-every", every)
            yield row(f"{count} kernels of {length} us, synchronized every {every}: s",
                      best(reference, command, "seconds"), best(stage.ours(), command, "seconds"),
                      GOAL["kernels"] if length >= 21 else None)


def calls(stage, reference):
    command = stage.workload("null_calls")
    for key in ("p50_us", "p99_us"):
        yield row(f"a synchronous call, {key}", best(reference, command, key), best(stage.ours(), command, key))
    storm = stage.workload("throttle", "--rounds", 1, "--kernels", 20000, "--sync-every", 20000)
    yield row("20000 launches and one wait: s", best(reference, storm, "seconds"), best(stage.ours(), storm, "seconds"))
    small = stage.workload("vector_add", "--elements", 1024, "--repeats", 1)
    yield row("a small program, start to end: s", wall(reference, small), wall(stage.ours(), small))


def copies(stage, reference, largest_kib):
    command = stage.workload("copies", "--largest-kib", largest_kib)
    theirs, mine = (finished(start(command))["gb_per_s"] for start in (reference, stage.ours()))
    for their, our in zip(theirs, mine):
        for way in ("up", "down"):
            kind = "pinned" if our["pinned"] else "pageable"
            yield row(f"copies {way}, {our['bytes'] >> 10} KiB, {kind}: ns a byte", 1 / their[way], 1 / our[way],
                      GOAL["copies"] if our["pinned"] else None)


def measure(stage, seconds):
    reference = stage.reference()
    if reference is None:
        raise Failed("NVIDIA's libcudart.so.13 was not found: set CUDA_HOME to the CUDA Toolkit 13")
    yield from copies(stage, reference, (1 << 18) if stage.on_gpu else 16384)
    yield from calls(stage, reference)
    yield from kernels(stage, reference, seconds)
