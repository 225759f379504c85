#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what scenarios/demo.sh left behind as a table for each policy, or as JSON.

usage: demo_table.py [--json] DIRECTORY POLICY,..."""
import json
import sys
from pathlib import Path

MEASURED_S = 5.0 # what the scenario sleeps between its two looks
TOO_SLOW = 1.5   # so many times as long: the host did not keep up


def counted(path):
    document = json.loads(path.read_text())
    return document["elapsed_ns"] / 1e9, {domain["name"]: domain for domain in document["domains"]}


def cpu_seconds(path):
    """xl list's, and when it was taken."""
    uptime, _, *rows = path.read_text().splitlines()
    return float(uptime), {row.split()[0]: float(row.split()[-1]) for row in rows}


def summary(share, number, policy):
    """Rates and shares of each guest between the two looks; latencies since the policy was switched to. A program runs under
    all policies: its result is verified at its end."""
    (began, begin), (ended, end) = (counted(share / f"{number}-{when}.json") for when in ("begin", "end"))
    (cpu_began, cpu_begin), (cpu_ended, cpu_end) = (cpu_seconds(share / f"{number}-cpu-{when}") for when in ("begin", "end"))
    results = {line.split()[0]: json.loads(line.split(" ", 1)[1])
               for line in (share / "results").read_text().splitlines()}
    credits = sum(domain["credits"] for domain in end.values())
    busy = {name: end[name]["device_busy_ns"] - begin[name]["device_busy_ns"] for name in end}
    total = sum(busy.values())
    guests = [{"name": name,
               "credits": domain["credits"],
               "target": domain["credits"] / credits,
               "received": busy[name] / total,
               "cpu": (cpu_end[name] - cpu_begin[name]) / (cpu_ended - cpu_began),
               "calls_per_s": (domain["calls"] - begin[name]["calls"]) / (ended - began),
               "p50_us": domain["latency_us"]["p50"],
               "p99_us": domain["latency_us"]["p99"],
               "verified": results[name]["verified"]} for name, domain in sorted(end.items())]
    ratios = [guest["received"] / guest["target"] for guest in guests]
    return {"policy": policy, "seconds": ended - began, "guests": guests, "mmr": min(ratios) / max(ratios),
            "utilization": total / 1e9 / (ended - began)}


def table(what):
    lines = [f"policy {what['policy']}, on Xen, measured for {what['seconds']:.1f} s",
             f"{'DOMAIN':8}{'CREDITS':>8}{'TARGET':>9}{'RECEIVED':>10}{'CPU':>8}{'calls/s':>9}"
             f"{'P50 us':>10}{'P99 us':>10}  VERIFIED"]
    lines += [f"{guest['name']:8}{guest['credits']:8}{guest['target']:9.1%}{guest['received']:10.1%}{guest['cpu']:8.1%}"
              f"{guest['calls_per_s']:9.1f}{guest['p50_us']:10.1f}{guest['p99_us']:10.1f}"
              f"  {'yes' if guest['verified'] else 'NO'}" for guest in what["guests"]]
    lines.append(f"min-max ratio {what['mmr']:.3f} (1: each got its share exactly), device utilization {what['utilization']:.1%}")
    if what["seconds"] > MEASURED_S * TOO_SLOW:
        lines.append(f"This machine did not keep up: {MEASURED_S:.0f} s became {what['seconds']:.0f}. Shares hold for programs that "
                     "always have work, which guests without CPU time do not have.")
    return "\n".join(lines)


def main():
    words = [word for word in sys.argv[1:] if word != "--json"]
    runs = [summary(Path(words[0]), number, policy) for number, policy in enumerate(words[1].split(","))]
    if "--json" in sys.argv:
        print(json.dumps({"runs": runs}, indent=2))
    else:
        print("\n\n".join(map(table, runs)))
    if any(len(run["guests"]) != 4 or not all(guest["verified"] for guest in run["guests"]) for run in runs):
        sys.exit("not every program's result was verified")


if __name__ == "__main__":
    main()
