#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a C++ file with the variants of functions for the per-thread default stream.

usage: per_thread.py OUTPUT HEADER PREFIX COMPILER NM TOOLKIT_LIBRARY TOOLKIT_HEADER OBJECT...

A variant is a function X_ptsz or X_ptds of TOOLKIT_LIBRARY (or of a list of names, .txt) whose name matches PREFIX. It is
written if the OBJECTs define X and not the variant. It calls X and passes per_thread(stream) for each stream; the other
arguments it passes on. TOOLKIT_HEADER has its prototype. HEADER has the macro
PEGASUS_PER_THREAD(variant, X, (parameters), (arguments)).

A variant that has no stream argument must be defined by an OBJECT: only its author knows where the stream is.
"""
import re
import sys

import symbols

STREAMS = ("CUstream", "cudaStream_t")


def parameters_of(function, text):
    """[(type, name)], or None unless the text has one prototype of the function, with plain parameters only."""
    prototypes = re.findall(rf"\b{function}\s*\(([^()]*)\)\s*;", text)
    if len(prototypes) != 1:
        return None
    parameters = [re.fullmatch(r"\s*(\w.*[\s*])(\w+)\s*", parameter, re.DOTALL) for parameter in prototypes[0].split(",")]
    return [(" ".join(p[1].split()), p[2]) for p in parameters] if all(parameters) else None


def line(variant, function, header, text):
    parameters = parameters_of(variant, text)
    if parameters is None:
        sys.exit(f"{variant}: {header} has no prototype of it that per_thread.py can read; write {variant} beside {function}")
    if not any(kind in STREAMS for kind, _ in parameters):
        sys.exit(f"{variant}: {function} has no stream argument; write {variant} beside {function}")
    declared = ", ".join(f"{kind} {name}" for kind, name in parameters)
    passed = ", ".join(f"per_thread({name})" if kind in STREAMS else name for kind, name in parameters)
    return f"PEGASUS_PER_THREAD({variant}, {function}, ({declared}), ({passed}))"


def main(output, header, prefix, compiler, nm, library, toolkit_header, *objects):
    defined = symbols.defined(nm, objects)
    text = symbols.declarations(compiler, toolkit_header)
    lines = [f'#include "{header}"']
    for variant in sorted(symbols.exported(nm, library, prefix) - defined):
        function = re.sub(r"_pt(sz|ds)$", "", variant)
        if function != variant and function in defined:
            lines.append(line(variant, function, toolkit_header, text))
    symbols.write(output, lines)


main(*sys.argv[1:])
