#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a C++ file with the functions of an API that a library of ours does not have: each refuses.

usage: refusals.py OUTPUT HEADER PREFIX NM TOOLKIT_LIBRARY OBJECT...

A function refuses if TOOLKIT_LIBRARY exports it, its name matches PREFIX, and no OBJECT defines it. HEADER has the macro
PEGASUS_REFUSE(name).
"""
import sys

import symbols


def main(output, header, prefix, nm, library, *objects):
    missing = symbols.exported(nm, library, prefix) - symbols.defined(nm, objects)
    symbols.write(output, [f'#include "{header}"', *(f"PEGASUS_REFUSE({name})" for name in sorted(missing))])


main(*sys.argv[1:])
