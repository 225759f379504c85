#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a C++ file with the functions of an API that a library of ours does not have: each refuses.

usage: refusals.py OUTPUT HEADER PREFIX NM TOOLKIT_LIBRARY OBJECT...

A function refuses if TOOLKIT_LIBRARY exports it, its name matches PREFIX, and no OBJECT defines it. An OBJECT may be a list
of names in parentheses (.inc), which refuse, too: those of later toolkits. HEADER has the macro PEGASUS_REFUSE(name).
"""
import pathlib
import re
import sys

import symbols


def main(output, header, prefix, nm, library, *objects):
    lists = [path for path in objects if path.endswith(".inc")]
    later = {name for path in lists for name in re.findall(r"^\w+\((\w+)\)$", pathlib.Path(path).read_text(), re.MULTILINE)}
    missing = (symbols.exported(nm, library, prefix) | later) - symbols.defined(nm, [path for path in objects if path not in lists])
    symbols.write(output, [f'#include "{header}"', *(f"PEGASUS_REFUSE({name})" for name in sorted(missing))])


main(*sys.argv[1:])
