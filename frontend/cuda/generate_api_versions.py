#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes api_versions.inc, the map that cuGetProcAddress searches, to standard output.

usage: generate_api_versions.py INCLUDE_DIR EXPORTED_NAMES

INCLUDE_DIR has cudaTypedefs.h and cudaProfilerTypedefs.h, whose PFN_<base name>_v<version>[_ptds|_ptsz] types say in which CUDA version each
variant of a function came. EXPORTED_NAMES lists the driver library's symbols, one a line. Variants are numbered in
the order of their versions: cuCtxCreate 2000, cuCtxCreate_v2 3020, cuCtxCreate_v3 11040, cuCtxCreate_v4 12050.
"""
import collections
import pathlib
import re
import sys

# Functions whose newest form has a name of its own (cuda.h: #define cuGraphInstantiate cuGraphInstantiateWithFlags).
RENAMED = {"cuGraphInstantiate": [(12000, "cuGraphInstantiateWithFlags")]}


def main(include_dir, names_file):
    typedefs = "".join(pathlib.Path(include_dir, f).read_text() for f in ("cudaTypedefs.h", "cudaProfilerTypedefs.h"))
    versions = collections.defaultdict(set)
    for base, version, per_thread in re.findall(r"\*PFN_(cu\w+?)_v(\d+)(_pt[ds][sz])?\)", typedefs):
        if not per_thread:
            versions[base].add(int(version))

    exported = set(pathlib.Path(names_file).read_text().split())
    variants = collections.defaultdict(list)
    for name in exported:
        root = re.sub(r"_pt[ds][sz]$", "", name)
        base = re.sub(r"_v\d$", "", root)
        if root in exported and root not in variants[base]:
            variants[base].append(root)

    print("// SPDX-License-Identifier: Apache-2.0")
    print("// Written by generate_api_versions.py from cudaTypedefs.h: base name, CUDA version of introduction, symbol,")
    print("// symbol for the per-thread default stream (or the same one). Sorted by name, then by version.")
    # clang-format would break the long rows
    print("// clang-format off")
    for base in sorted(variants):
        introduced = sorted(versions[base])
        roots = sorted(variants[base])
        renamed = RENAMED.get(base, [])
        for version, _ in renamed:
            introduced = [v for v in introduced if v < version]
        if len(introduced) != len(roots):
            print(f"{base}: versions {introduced}, variants {roots}", file=sys.stderr)
        rows = list(zip(introduced[-len(roots):], roots[-len(introduced):])) + renamed
        for version, symbol in rows:
            per_thread = next((symbol + s for s in ("_ptds", "_ptsz") if symbol + s in exported), symbol)
            print(f"PEGASUS_API({base}, {version}, {symbol}, {per_thread})")


if __name__ == "__main__":
    main(*sys.argv[1:])
