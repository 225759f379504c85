#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes PEGASUS_DRIVER_CALLS(CALL), the driver functions that the runtime's sources name.

usage: driver_calls.py OUTPUT NM DRIVER_LIBRARY CUDA_H SOURCE...

They must be named as they are exported: where CUDA_H renames a function (#define cuMemAlloc cuMemAlloc_v2), its plain name
is an older variant with other arguments.
"""
import pathlib
import re
import sys

import symbols


def main(output, nm, library, cuda_h, *sources):
    exported = symbols.exported(nm, library, "cu[A-Z]")
    definitions = re.findall(r"#\s*define\s+(cu\w+)\s+(?:__CUDA_API_\w+\()?(cu\w+)", pathlib.Path(cuda_h).read_text())
    renamed = {name: symbol for name, symbol in definitions if not re.fullmatch(name + "(_pt[ds][sz])?", symbol)}
    used = set()
    for source in sources:
        code = re.sub(r"//.*", "", pathlib.Path(source).read_text())
        for name in exported.intersection(re.findall(r"\bcu[A-Z]\w*", code)):
            if name in renamed:
                sys.exit(f"{source}: {name} is an older function: write {renamed[name]}")
            used.add(name)
    symbols.write(output, ["#define PEGASUS_DRIVER_CALLS(CALL) \\", *(f"  CALL({name}) \\" for name in sorted(used)), ""])


main(*sys.argv[1:])
