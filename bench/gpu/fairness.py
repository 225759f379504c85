# SPDX-License-Identifier: Apache-2.0
"""Greedy programs in several domains under each policy: shares, what sharing costs, latency.

mmr: min-max ratio of device time over weight; where device time is an estimate (`none` on a GPU), of the work done, in parts
of what the program does alone. overhead: 1 over the sum of each program's work rate over its rate alone
(FairGV: aggregated overhead). h_spread: of each domain's device time in windows of a tenth of a second, the distance of the
quartiles over the median (Pegasus 6.3), the largest. shares: what each has over its weight, in parts of their mean.
p50_us, p99_us: of synchronous calls, those before the first kernel included, of the domain where they are longest."""
import signal
import statistics
import time

import overhead
from stage import Failed, finished

WEIGHTS = (1, 2, 2, 3, 3, 4)
SHORT_US, LONG_US = 20, 5000
WINDOW_S = 0.1
LONGEST_S = 120  # until it is told to end


def crowds():
    """(name, weights, kernel lengths in us), by domain."""
    for count in (2, 4, 8):
        yield f"{count} equal, same kernels", [1] * count, [LONG_US // 10] * count
        yield f"{count} equal, mixed kernels", [1] * count, [LONG_US if i % 2 else SHORT_US for i in range(count)]
    yield "6 weighted, same kernels", WEIGHTS, [LONG_US // 10] * 6
    yield "6 weighted, mixed kernels", WEIGHTS, [LONG_US if i % 2 else SHORT_US for i in range(6)]


def command(stage, rounds, seconds):
    return stage.workload("throttle", "--rounds", rounds, "--seconds", seconds, "--sync-every", 16)


def wait_until_all_begin(programs, within=60):
    """All of them are done with what comes before their kernels."""
    deadline = time.monotonic() + within
    while not all("rounds a kernel" in program.out for program in programs):
        if time.monotonic() > deadline:
            raise Failed(f"not all have begun within {within} s: {programs}")
        time.sleep(0.01)


def look_on(daemon, seconds):
    """(time, domains) at the borders of the windows, four at least."""
    looks = [(time.monotonic(), daemon.domains())]
    for window in range(1, max(4, round(seconds / WINDOW_S)) + 1):
        time.sleep(max(0, looks[0][0] + window * WINDOW_S - time.monotonic()))
        looks.append((time.monotonic(), daemon.domains()))
    return looks


def h_spread(looks, domain):
    """None: it had no device time in most windows."""
    rates = [(later[domain]["device_busy_ns"] - sooner[domain]["device_busy_ns"]) / (then - at)
             for (at, sooner), (then, later) in zip(looks, looks[1:])]
    low, median, high = statistics.quantiles(rates, n=4)
    return (high - low) / median if median > 0 else None


def crowd(daemon, stage, name, weights, lengths, rounds, alone, seconds):
    domains = [f"w{weight}n{number}" for number, weight in enumerate(weights)]
    for domain, weight in zip(domains, weights):
        daemon.ask("set", "--create", domain, f"credits={256 * weight}")
    programs = [daemon.run(command(stage, rounds[length], LONGEST_S), domain=domain)
                for domain, length in zip(domains, lengths)]
    try:
        wait_until_all_begin(programs)
        looks = look_on(daemon, seconds)
        for program in programs:
            program.popen.send_signal(signal.SIGUSR1)  # throttle then ends, and verifies
        results = [finished(program) for program in programs]
    finally:
        for program in programs:
            program.close()
    (begin, before), (end, after) = looks[0], looks[-1]
    work = [result["work"] / result["seconds"] / alone[length] for result, length in zip(results, lengths)]
    if any(after[domain]["estimated"] for domain in domains):
        received, spreads = work, [None]
    else:
        received = [(after[domain]["device_busy_ns"] - before[domain]["device_busy_ns"]) / 1e9 / (end - begin)
                    for domain in domains]
        spreads = [h_spread(looks, domain) for domain in domains]
    shares = [part / weight for part, weight in zip(received, weights)]
    return {"what": name, "mmr": min(shares) / max(shares) if max(shares) > 0 else 0, "overhead": 1 / sum(work),
            "h_spread": None if None in spreads else max(spreads), "utilization": sum(received),
            "shares": " ".join(f"{share * len(shares) / sum(shares):.2f}" for share in shares) if any(shares) else None,
            **{f"{key}_us": max(after[domain]["latency_us"][key] for domain in domains) for key in ("p50", "p99")}}


def measure(stage, seconds, policies):
    rounds, alone = {}, {}
    for length in (SHORT_US, LONG_US // 10, LONG_US):
        rounds[length] = overhead.rounds_for(stage, stage.ours(), length)
        result = finished(stage.ours()(command(stage, rounds[length], seconds)))
        alone[length] = result["work"] / result["seconds"]
    for policy in stage.budget.each(policies, "policy {}".format):
        daemon = stage.start_daemon(f"fair-{policy}", policy=policy)
        for name, weights, lengths in stage.budget.each(crowds(), lambda one, policy=policy: f"{policy}: {one[0]}"):
            yield {"policy": policy, **crowd(daemon, stage, name, weights, lengths, rounds, alone, seconds)}
        daemon.close()
