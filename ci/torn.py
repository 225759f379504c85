# SPDX-License-Identifier: Apache-2.0
"""Statements that clang-format breaks in two because of a comment behind them. ci/check-format calls it with files."""

import re
import sys

sys.dont_write_bytecode = True
import tree

COLUMNS = 110  # as in .clang-format
BEGINS_AFTER = re.compile(r"(^|[;{}:]|^\s*#.*)$")
HEAD = re.compile(r"\s*(?:\} )?(?:if|for|while|else|do|switch|case)\b|\s*(?://|#|public:|private:|protected:)")


def without_comment(line):
    return re.sub(r"\s*//.*", "", re.sub(r'"(?:\\.|[^"\\])*"', lambda m: "_" * len(m[0]), line))


def torn(lines):
    """The numbers, from 0, of the lines that with the next would be one, but for its comment."""
    for at in range(1, len(lines) - 1):
        first, second = lines[at], lines[at + 1]
        code = without_comment(second).rstrip()
        if (not first.strip() or "//" in first or HEAD.match(first) or first.rstrip().endswith((";", "{", "}", ":", ","))
                or not code.endswith(";") or "//" not in second or code.lstrip().startswith("}")
                or not BEGINS_AFTER.search(without_comment(lines[at - 1]).rstrip())):
            continue
        if len(joined(first, code)) <= COLUMNS:
            yield at


def joined(first, second):
    glue = "" if first.endswith("(") or second.lstrip().startswith(".") else " "
    return first.rstrip() + glue + second.strip()


def main(names):
    found = [(name, at + 1) for name in names for at in torn(tree.read(name).splitlines())]
    for name, line in found:
        print(f"{name}:{line}: the comment tears what it explains: it stands better above")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
