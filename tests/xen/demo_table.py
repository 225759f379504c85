#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what scenarios/demo.sh left behind as a table.

usage: demo_table.py DIRECTORY POLICY"""
import json
import sys
from pathlib import Path


def domains(path):
    return {domain["name"]: domain for domain in json.loads(path.read_text())["domains"]}


def seconds(path):
    return {line.split()[0]: float(line.split()[1]) for line in path.read_text().splitlines()}


def main():
    share, policy = Path(sys.argv[1]), sys.argv[2]
    begin, end = domains(share / "begin.json"), domains(share / "end.json")
    cpu_begin, cpu_end = seconds(share / "cpu-begin"), seconds(share / "cpu-end")
    elapsed = float((share / "time-end").read_text()) - float((share / "time-begin").read_text())
    results = {line.split()[0]: json.loads(line.split(" ", 1)[1])
               for line in (share / "results").read_text().splitlines()}
    credits = sum(domain["credits"] for domain in end.values())
    busy = {name: end[name]["device_busy_ns"] - begin[name]["device_busy_ns"] for name in end}
    total = sum(busy.values())
    ratios = []
    print(f"policy {policy}, on Xen, measured for {elapsed:.1f} s")
    print(f"{'DOMAIN':8}{'CREDITS':>8}{'TARGET':>9}{'RECEIVED':>10}{'CPU':>8}{'options/s':>12}"
          f"{'P50 us':>10}{'P99 us':>10}  VERIFIED")
    for name, domain in sorted(end.items()):
        target, received = domain["credits"] / credits, busy[name] / total
        ratios.append(received / target)
        print(f"{name:8}{domain['credits']:8}{target:9.1%}{received:10.1%}"
              f"{(cpu_end[name] - cpu_begin[name]) / elapsed:8.1%}"
              f"{results[name]['work'] / results[name]['seconds']:12.0f}"
              f"{domain['latency_us']['p50']:10.1f}{domain['latency_us']['p99']:10.1f}"
              f"  {'yes' if results[name]['verified'] else 'NO'}")
    print(f"min-max ratio {min(ratios) / max(ratios):.3f} (1: each got its share exactly), "
          f"device utilization {total / 1e9 / elapsed:.1%}")
    if len(results) != 4 or not all(result["verified"] for result in results.values()):
        sys.exit("not every program's result was verified")


if __name__ == "__main__":
    main()
