# SPDX-License-Identifier: Apache-2.0
"""The tree's own files, and how a check says what it found. Imported by the checks beside it."""

import fnmatch
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# What can be found again by its content, also from another clone.
CACHE = os.environ.get("PEGASUS_CACHE") or os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "pegasus")
CODE = ("*.h", "*.hpp", "*.c", "*.cpp", "*.cu", "*.cuh", "*.inc")


def files(*patterns):
    """Tracked and new files, ignored ones left out; relative to the root, sorted."""
    git = ["git", "-C", ROOT, "-c", f"safe.directory={ROOT}", "ls-files", "-z", "-co", "--exclude-standard"]
    listed = subprocess.run(git, capture_output=True, text=True)
    names = listed.stdout.split("\0") if listed.returncode == 0 else _walk()
    return sorted(
        name
        for name in set(names)
        if os.path.isfile(os.path.join(ROOT, name))
        and (not patterns or any(fnmatch.fnmatch(os.path.basename(name), p) for p in patterns))
    )


class Paths:
    """Files that are selected by their paths: `folder/` stands for all below it, another pattern is a glob over the whole
    path. Report.end() reports each pattern that selects no file: a check whose files have moved would pass for ever."""

    made = []

    def __init__(self, owner, *patterns):
        self.owner, self.patterns = owner, patterns
        Paths.made.append(self)

    def __contains__(self, name):
        return any(self._selects(pattern, name) for pattern in self.patterns)

    @staticmethod
    def _selects(pattern, name):
        return name.startswith(pattern) if pattern.endswith("/") else fnmatch.fnmatchcase(name, pattern)

    def unused(self):
        names = files()
        return [pattern for pattern in self.patterns if not any(self._selects(pattern, name) for name in names)]


def _walk():  # a release archive has no .git
    for directory, below, names in os.walk(ROOT):
        below[:] = [d for d in below if not re.fullmatch(r"build(-.*)?|\.git", d)]
        for name in names:
            yield os.path.relpath(os.path.join(directory, name), ROOT)


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8", errors="replace") as file:
        return file.read()


def without_comments(text):
    """C or C++ with comments and the contents of literals blanked; line numbers stay."""
    token = re.compile(
        r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'',
        re.S,
    )

    def blank(match):
        found = match.group(0)
        # 1'000'000: what looks like a literal is a digit separator
        if found[0] == "'" and match.start() > 0 and text[match.start() - 1].isalnum():
            return found
        return re.sub(r"[^\n]", " ", found)

    return token.sub(blank, text)


class Report:
    """Collects findings; end() prints them and is the exit status."""

    def __init__(self, name):
        self.name = name
        self.findings = 0

    def add(self, file, line, rule):
        self.findings += 1
        print(f"{file}:{line}: {rule}")

    def end(self, what):
        for paths in Paths.made:
            for pattern in paths.unused():
                self.add(paths.owner, 1, f"'{pattern}' selects no file of the tree")
        print(f"{self.name}: {self.findings} finding(s)" if self.findings else f"{self.name}: ok ({what})")
        return 1 if self.findings else 0


def help_only(description):
    """The checks take no arguments but --help."""
    if sys.argv[1:] == ["--help"]:
        print(description.strip())
        sys.exit(0)
    if sys.argv[1:]:
        sys.exit(f"{os.path.basename(sys.argv[0])}: unknown argument '{sys.argv[1]}'; see --help")


if __name__ == "__main__":  # names for shell scripts: NUL-terminated
    sys.stdout.write("".join(name + "\0" for name in files(*sys.argv[1:])))
