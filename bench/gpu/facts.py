# SPDX-License-Identifier: Apache-2.0
"""What the GPU and its driver cost, by the program gpu_facts (bench/gpu/facts), which uses the driver itself."""
import subprocess

# The last ones suspend the process's own work, which may disturb the driver.
PREEMPTION = ("time-slices", "suspend-kernel", "suspend-graph", "suspend-machine-code", "suspend-scheduling",
              "suspend-scheduling-preempted", "suspend-groups", "suspend-groups-alone", "suspend-groups-listed",
              "suspend-groups-restarted", "suspend-each-channel", "suspend-by-time-slice", "suspend-by-debugger")
LONGEST_S = 60  # of a part, which limits itself to less


def program(stage):
    return stage.build / "bin" / "gpu_facts"


def row_of(line):
    """A row, or None for a line of another kind (bench/gpu/facts/report.h)."""
    kind, *fields = line.split("\t")
    if kind == "fact" and len(fields) == 4:
        part, what, value, unit = fields
        return {"part": part, "what": what, "value": float(value), "unit": unit}
    if kind == "note" and len(fields) == 2:
        return {"part": fields[0], "what": fields[1]}
    if kind == "failed" and len(fields) == 2:
        return {"part": fields[0], "what": f"FAILED: {fields[1]}", "verified": False}
    return None


def run(stage, part):
    try:
        done = subprocess.run([program(stage), part], capture_output=True, text=True, errors="replace", timeout=LONGEST_S,
                              check=False, env=stage.native_environment())
    except subprocess.TimeoutExpired:
        yield {"part": part, "what": f"FAILED: did not end within {LONGEST_S} s", "verified": False}
        return
    rows = [row for row in map(row_of, done.stdout.splitlines()) if row]
    yield from rows
    if done.stderr:
        yield {"part": part, "what": "standard error", "text": done.stderr.strip()[-2000:]}
    if done.returncode != 0 or not rows:
        yield {"part": part, "what": f"FAILED: status {done.returncode}", "verified": False}


def parts(stage):
    listed = subprocess.run([program(stage), "--parts"], capture_output=True, text=True, timeout=LONGEST_S, check=False,
                            env=stage.native_environment())
    if listed.returncode != 0:
        raise RuntimeError(f"{program(stage)}: status {listed.returncode}: {listed.stderr}")
    return listed.stdout.split()


def measure(stage):
    for part in stage.budget.each(part for part in parts(stage) if part not in PREEMPTION):
        yield from run(stage, part)


def preemption(stage):
    for part in stage.budget.each(PREEMPTION):
        yield from run(stage, part)
