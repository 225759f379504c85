# SPDX-License-Identifier: Apache-2.0
"""Sections as tables for people, and all of them as a file."""
import json
import os
from pathlib import Path

TEXTS = ("why", "text")  # keys of a row that are not in the table
WIDEST = 72  # of a column; what is longer moves the rest of its line
TEXT_LINES = 12  # shown of a text; the file has all of it


def cell(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "NO"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def table(rows):
    columns = list(dict.fromkeys(key for row in rows for key in row if key not in TEXTS))
    lines = [columns] + [[cell(row.get(column)) for column in columns] for row in rows]
    widths = [min(WIDEST, max(len(line[i]) for line in lines)) for i in range(len(columns))]
    return "\n".join("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip() for line in lines)


def shortened(text):
    lines = text.splitlines()
    if len(lines) <= TEXT_LINES:
        return text
    return "\n".join([*lines[:TEXT_LINES], f"... and {len(lines) - TEXT_LINES} more lines, in the file of --json"])


def heading(row):
    return ": ".join(row[key] for key in ("part", "program", "what") if row.get(key))


def text(section):
    parts = [f"\n{section['title']}  ({section['took_s']:.0f} s)\n"]
    rows = section["rows"]
    if any(set(row) - {"what", *TEXTS} for row in rows):
        parts.append(table(rows))
    for row in rows:
        if "text" in row:
            parts.append(f"--- {heading(row)}\n{shortened(row['text'])}")
        if "why" in row:
            parts.append(row["why"])
    if "why" in section:
        parts.append(f"THE SECTION ENDED EARLY: {section['why']}")
    parts += [f"LEFT OUT for lack of time: {name}" for name in section["left_out"]]
    parts += [f"--- the end of the log of pegasusd \"{name}\"\n{log}" for name, log in section.get("logs", {}).items()]
    return "\n".join(parts)


def summary(document):
    lines = [f"{section['name']}: " + (f"{section['failed']} failed" if section["failed"] else "ok")
             + (f", {len(section['left_out'])} left out" if section["left_out"] else "") for section in document["sections"]]
    return "\n".join(["", *lines])


def write(document, file):
    """All of it, or what was there before."""
    beside = Path(f"{file}.new")
    beside.write_text(json.dumps(document, indent=1) + "\n")
    os.replace(beside, file)
