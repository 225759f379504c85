# SPDX-License-Identifier: Apache-2.0
"""How far a worker gets as it is confined more and more. At the first rung that fails the system calls say why.
The highest rung that works is used by the sections after this one."""
import subprocess
import time

import calls
from stage import Failed, finished

# The options of pegasusd for each; the last is its usual way.
RUNGS = (("none", ["--confine", "none"]), ("jail", ["--confine", "jail"]), ("all", []))


def has_rungs(stage):
    shown = subprocess.run([stage.build / "bin" / "pegasusd", "--help"], capture_output=True, text=True, check=False)
    return "--confine" in shown.stdout


def attempt(stage, name, options, under=()):
    """Seconds of a program that verifies."""
    stage.restart(options)
    daemon = stage.start_daemon(f"confine-{name}", under=under)
    try:
        begin = time.monotonic()
        finished(daemon.run(stage.workload("vector_add"), domain="ladder"), within=60)
        return time.monotonic() - begin
    except Failed as failure:
        raise Failed(f"{failure}\n--- pegasusd's log\n{daemon.log}") from None
    finally:
        daemon.close()


def by_the_worker(stage, name):
    """What a worker says itself of the calls that its sandbox refuses."""
    nothing = "there is no strace that works here"
    if name != RUNGS[-1][0] or not has_rungs(stage):
        return nothing
    try:
        attempt(stage, "trace", ["--confine", "trace"])
        return f"{nothing}; with --confine trace it works"
    except (Failed, AssertionError) as failure:
        named = [line for line in str(failure).splitlines() if "the sandbox refuses system call" in line]
        return "\n".join(named) or f"{nothing}; with --confine trace no refused call is named"


def explain(stage, name, options):
    strace = stage.strace()
    if strace is None:
        return by_the_worker(stage, name)
    trace = stage.new_file(f"confine-{name}.strace")
    try:
        # -D: strace is the child, so that pegasusd is the process that was started.
        attempt(stage, f"{name}-traced", options, under=[strace, "-D", "-f", "-o", trace])
        return "it works while it is traced"
    except (Failed, AssertionError):
        return calls.refused(trace.read_text(errors="replace"))


def start(stage):
    """Whether pegasusd finds the device and serves it at all."""
    stage.accelerator = one = stage.daemon.ask("accelerators")["accelerators"][0]
    return {"what": "pegasusd starts", "verified": True, "text":
            f"{one['name']}, compute capability {one['compute_capability']}, {one['memory_bytes'] >> 20} MiB; "
            f"a change of context is expected to take {one['switch_cost_ns'] / 1000:g} us"}


def measure(stage):
    yield start(stage)
    rungs = RUNGS if has_rungs(stage) else RUNGS[-1:]
    if stage.confinement:
        rungs = ((stage.confinement[-1], stage.confinement),)
    works = None
    for name, options in rungs:
        try:
            yield {"what": f"a program, confined: {name}", "verified": True, "seconds": attempt(stage, name, options)}
            works = options
        except (Failed, AssertionError) as failure:
            yield {"what": f"a program, confined: {name}", "verified": False, "why": str(failure),
                   "text": explain(stage, name, options)}
            break
    stage.restart(works if works is not None else rungs[0][1])
    if works is not None and works != rungs[-1][1]:
        yield {"what": f"ALL LATER SECTIONS RUN WITH {' '.join(works)}", "verified": False}
