# SPDX-License-Identifier: Apache-2.0
"""Sections as tables for people."""


def cell(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "NO"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def table(rows):
    columns = [key for key in rows[0] if key != "why"]
    lines = [columns] + [[cell(row.get(column)) for column in columns] for row in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(columns))]
    return "\n".join("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip() for line in lines)


def text(section):
    parts = [f"\n{section['title']}  ({section['took_s']:.0f} s)\n"]
    if section["rows"]:
        parts.append(table(section["rows"]))
    parts += [row["why"] for row in section["rows"] if "why" in row]
    if "why" in section:
        parts.append(section["why"])
    return "\n".join(parts)
