# SPDX-License-Identifier: Apache-2.0
"""What libraries export and objects define, and the files that are written from it."""
import pathlib
import re
import subprocess


def _functions(nm, options, files):
    lines = subprocess.run([nm, *options, *files], check=True, capture_output=True, text=True).stdout.splitlines()
    names = (re.fullmatch(r"[0-9a-f]+ [TW] ([^@]+)(@.*)?", line) for line in lines)
    return {match[1] for match in names if match}


def exported(nm, library, prefix):
    """The functions whose names match the regular expression `prefix`, of a shared library or of a list of names (.txt)."""
    file = pathlib.Path(library)
    every = file.read_text().split() if file.suffix == ".txt" else _functions(nm, ["-D", "--defined-only"], [library])
    names = {name for name in every if re.match(prefix, name)}
    if len(names) < 390:
        raise SystemExit(f"only {len(names)} functions in {library}: is it the CUDA Toolkit's?")
    return names


def defined(nm, objects):
    return _functions(nm, ["--defined-only"], objects)


def declarations(compiler, header):
    """The toolkit's header as C, where parameters have no default values. The macro makes it declare each variant of a
    function under its own name."""
    command = [compiler, "-E", "-P", "-x", "c", "-D__CUDA_API_VERSION_INTERNAL", "-I", str(pathlib.Path(header).parent), header]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def write(path, lines):
    """Leaves a file alone that has these lines already: what includes it need not be compiled again."""
    text = "\n".join(lines) + "\n"
    file = pathlib.Path(path)
    if not file.exists() or file.read_text() != text:
        file.write_text(text)
