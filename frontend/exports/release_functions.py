#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the names of the functions of an earlier release of the runtime, and a linker's version script that exports them.

usage: release_functions.py OUTPUT SCRIPT NODE PREFIX NM TOOLKIT_LIBRARY DIFFERENCES

DIFFERENCES (.txt) has a line "-name" for each function of TOOLKIT_LIBRARY that came later, "+name" for each that it lost.
"""
import pathlib
import sys

import symbols


def main(output, script, node, prefix, nm, library, differences):
    names = symbols.exported(nm, library, prefix)
    for line in pathlib.Path(differences).read_text().splitlines():
        if line[0] in "+-" and (line[0] == "-") != (line[1:] in names):
            sys.exit(f"{differences}: {line}: {library} {'has' if line[0] == '+' else 'does not have'} it")
        if line[0] == "-":
            names.remove(line[1:])
        elif line[0] == "+":
            names.add(line[1:])
    symbols.write(output, sorted(names))
    symbols.write(script, [f"{node} {{", "global:", *(f"  {name};" for name in sorted(names)), "local:", "  *;", "};"])


main(*sys.argv[1:])
