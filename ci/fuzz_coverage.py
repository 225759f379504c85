# SPDX-License-Identifier: Apache-2.0
"""Reads what libFuzzer prints with -print_coverage=1, and prints for each folder of the tree the edges that were reached
and those that there are. Functions of the tests and of libraries are left out."""

import collections
import re
import sys

FUNCTION = re.compile(r"(?:UN)?COVERED_FUNC: hits: \d+ edges: (\d+)/(\d+) .* (\S+):\d+$")
OURS = re.compile(r"((?:base|control|domA|frontend|monitor|nested|policies)/\S+)/[^/]+$")


def main():
    reached, edges = collections.Counter(), collections.Counter()
    for line in sys.stdin:
        function = FUNCTION.match(line)
        ours = function and OURS.search(function[3])
        if not ours:
            continue
        parts = ours[1].split("/")
        for depth in range(1, len(parts) + 1):
            folder = "/".join(parts[:depth])
            reached[folder] += int(function[1])
            edges[folder] += int(function[2])
    if not edges:
        sys.exit("fuzz_coverage.py: no function of the tree is named: is llvm-symbolizer installed?")
    for folder in sorted(edges):
        print(f"{folder:44} {reached[folder]:6} of {edges[folder]:6}  {100 * reached[folder] / edges[folder]:5.1f} %")


main()
