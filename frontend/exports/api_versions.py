#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the map that cuGetProcAddress searches.

usage: api_versions.py OUTPUT NM DRIVER_LIBRARY TYPEDEFS...

TYPEDEFS are cudaTypedefs.h and cudaProfilerTypedefs.h, whose PFN_<base name>_v<version>[_ptds|_ptsz] types say in which CUDA version each
variant of a function came. Variants are numbered in the order of their versions: cuCtxCreate 2000, cuCtxCreate_v2 3020,
cuCtxCreate_v3 11040, cuCtxCreate_v4 12050.
"""
import collections
import pathlib
import re
import sys

import symbols

# Functions whose newest form has a name of its own (cuda.h: #define cuGraphInstantiate cuGraphInstantiateWithFlags).
RENAMED = {"cuGraphInstantiate": [(12000, "cuGraphInstantiateWithFlags")]}


def versions_of(typedefs):
    """{base name: the CUDA versions in which a variant of it came}"""
    versions = collections.defaultdict(set)
    for base, version, per_thread in re.findall(r"\*PFN_(cu\w+?)_v(\d+)(_pt[ds][sz])?\)", typedefs):
        if not per_thread:
            versions[base].add(int(version))
    return versions


def variants_of(exported):
    """{base name: its symbols, without those for the per-thread default stream}"""
    variants = collections.defaultdict(list)
    for name in exported:
        root = re.sub(r"_pt[ds][sz]$", "", name)
        base = re.sub(r"_v\d$", "", root)
        if root in exported and root not in variants[base]:
            variants[base].append(root)
    return variants


def main(output, nm, library, *typedefs):
    versions = versions_of("".join(pathlib.Path(header).read_text() for header in typedefs))
    exported = symbols.exported(nm, library, "cu[A-Z]")
    lines = ["// Base name, CUDA version of introduction, symbol, symbol for the per-thread default stream (or the same one).",
             "// Sorted by name, then by version."]
    for base, symbols_of_base in sorted(variants_of(exported).items()):
        renamed = RENAMED.get(base, [])
        introduced = [v for v in sorted(versions[base]) if all(v < version for version, _ in renamed)]
        roots = sorted(symbols_of_base)
        if len(introduced) != len(roots):
            print(f"{base}: versions {introduced}, variants {roots}", file=sys.stderr)
        for version, symbol in [*zip(introduced[-len(roots):], roots[-len(introduced):]), *renamed]:
            per_thread = next((symbol + s for s in ("_ptds", "_ptsz") if symbol + s in exported), symbol)
            lines.append(f"PEGASUS_API({base}, {version}, {symbol}, {per_thread})")
    symbols.write(output, lines)


main(*sys.argv[1:])
