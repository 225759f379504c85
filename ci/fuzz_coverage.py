# SPDX-License-Identifier: Apache-2.0
"""Reads what llvm-cov export -summary-only prints, and prints for each folder of the tree how many regions (stretches of
code without a branch) and how many branches were reached, of those that there are. argv[1]: the tree."""

import collections
import json
import os
import sys

PARTS = ("regions", "branches")


def main():
    reached, there_are = collections.Counter(), collections.Counter()
    for file in json.load(sys.stdin)["data"][0]["files"]:
        folder = os.path.dirname(os.path.relpath(file["filename"], sys.argv[1]))
        if folder.startswith(("..", "build", "tests")):
            continue
        while folder:
            for part in PARTS:
                reached[folder, part] += file["summary"][part]["covered"]
                there_are[folder, part] += file["summary"][part]["count"]
            folder = os.path.dirname(folder)
    for folder in sorted({folder for folder, _ in there_are}):
        figures = [f"{part} {reached[folder, part]:6} of {there_are[folder, part]:6} "
                   f"{100 * reached[folder, part] / max(there_are[folder, part], 1):5.1f} %" for part in PARTS]
        print(f"{folder:44} {'   '.join(figures)}")


main()
