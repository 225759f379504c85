# SPDX-License-Identifier: Apache-2.0
"""Runs pegasus-sim, and prints a table. Imported by ci/papers and what is beside it."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SIMULATOR = Path(os.environ.get("PEGASUS_BUILD", ROOT / "build")) / "bin/pegasus-sim"


def simulate(*words):
    answer = subprocess.run([SIMULATOR, *words], stdout=subprocess.PIPE, text=True)
    if answer.returncode != 0:
        sys.exit(answer.returncode)  # it has said why
    return answer.stdout


def table(corner, rows, columns, cells):
    """The lines of it."""
    return [f"| {corner} |" + "".join(f" {column} |" for column in columns),
            "|---|" + "---|" * len(columns),
            *(f"| {row} |" + "".join(f" {cells.get((row, column), '')} |" for column in columns) for row in rows)]
