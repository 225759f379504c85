# SPDX-License-Identifier: Apache-2.0
"""Greedy programs in several domains under each policy: shares, what sharing costs, latency."""
import time

import overhead
from stage import Failed, finished

WEIGHTS = (1, 2, 2, 3, 3, 4)
SHORT_US, LONG_US = 20, 5000


def crowds():
    """(name, weights, kernel lengths in us), by domain."""
    for count in (2, 4, 8):
        yield f"{count} equal, same kernels", [1] * count, [LONG_US // 10] * count
        yield f"{count} equal, mixed kernels", [1] * count, [LONG_US if i % 2 else SHORT_US for i in range(count)]
    yield "6 weighted, same kernels", WEIGHTS, [LONG_US // 10] * 6
    yield "6 weighted, mixed kernels", WEIGHTS, [LONG_US if i % 2 else SHORT_US for i in range(6)]


def command(stage, rounds, seconds):
    return stage.workload("throttle", "--rounds", rounds, "--seconds", seconds, "--sync-every", 16)


def wait_for_all(daemon, domains, within=60):
    deadline = time.monotonic() + within
    while not all(any(task["calls"] > 16 for task in daemon.tasks(domain)) for domain in domains):
        if time.monotonic() > deadline:
            raise Failed(f"not all of {domains} use the accelerator within {within} s: {daemon.log}")
        time.sleep(0.01)


def crowd(daemon, stage, name, weights, lengths, rounds, alone, seconds):
    domains = [f"w{weight}n{number}" for number, weight in enumerate(weights)]
    for domain, weight in zip(domains, weights):
        daemon.ask("set", "--create", domain, f"credits={256 * weight}")
    programs = [daemon.run(command(stage, rounds[length], seconds + 1), domain=domain)
                for domain, length in zip(domains, lengths)]
    try:
        wait_for_all(daemon, domains)
        before, begin = daemon.domains(), time.monotonic()
        time.sleep(seconds)
        after, elapsed = daemon.domains(), time.monotonic() - begin
        results = [finished(program) for program in programs]
    finally:
        for program in programs:
            program.close()
    busy = [after[domain]["device_busy_ns"] - before[domain]["device_busy_ns"] for domain in domains]
    shares = [time_ / weight for time_, weight in zip(busy, weights)]
    work = sum(result["work"] / result["seconds"] / alone[length] for result, length in zip(results, lengths))
    return {"what": name, "mmr": min(shares) / max(shares) if max(shares) > 0 else 0, "overhead": 1 / work,
            "utilization": sum(busy) / 1e9 / elapsed,
            "p99_us": max(after[domain]["latency_us"]["p99"] for domain in domains)}


def measure(stage, seconds, policies=None):
    rounds, alone = {}, {}
    for length in (SHORT_US, LONG_US // 10, LONG_US):
        rounds[length] = overhead.rounds_for(stage, stage.ours(), length)
        result = finished(stage.ours()(command(stage, rounds[length], seconds)))
        alone[length] = result["work"] / result["seconds"]
    rows = []
    for policy in policies or [entry["name"] for entry in stage.daemon.ask("policies")["policies"]]:
        daemon = stage.start_daemon(f"fair-{policy}", policy=policy)
        for name, weights, lengths in crowds():
            rows.append({"policy": policy,
                         **crowd(daemon, stage, name, weights, lengths, rounds, alone, seconds)})
        daemon.close()
    return {"title": "Fairness", "rows": rows, "failed": 0}
