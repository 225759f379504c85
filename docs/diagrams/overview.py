#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/diagrams/overview.svg: where a call goes, and what decides when it is executed.

usage: docs/diagrams/overview.py >docs/diagrams/overview.svg
"""
from html import escape

WIDTH, HEIGHT = 960, 430
INK, SOFT = "#1f2933", "#616e7c"
FILL = {"guest": "#e3f0fb", "shared": "#fdf3d7", "host": "#e6f4ea", "device": "#f6e3e8", "xen": "#ececf1", "plain": "#ffffff"}
drawn = []


def text(x, y, words, size=13, colour=INK, weight="normal", anchor="middle"):
    drawn.append(f'<text x="{x}" y="{y}" font-size="{size}" fill="{colour}" font-weight="{weight}" '
                 f'text-anchor="{anchor}">{escape(words)}</text>')


def box(x, y, width, height, kind, title="", lines=(), dashed=False):
    dash = ' stroke-dasharray="5 4"' if dashed else ""
    drawn.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" fill="{FILL[kind]}" '
                 f'stroke="{SOFT}" stroke-width="1"{dash}/>')
    middle = x + width / 2
    top = y + (height - 17 * len(lines)) / 2 + 5
    text(middle, top, title, weight="bold")
    for number, line in enumerate(lines, 1):
        text(middle, top + 17 * number, line, size=12, colour=SOFT)


def frame(x, y, width, height, kind, title):
    box(x, y, width, height, kind)
    text(x + 12, y + 20, title, anchor="start", colour=SOFT, weight="bold")


def arrow(points, label="", at=None, both=False):
    path = " L".join(f"{x} {y}" for x, y in points)
    start = ' marker-start="url(#tip)"' if both else ""
    drawn.append(f'<path d="M{path}" fill="none" stroke="{INK}" stroke-width="1.4" marker-end="url(#tip)"{start}/>')
    if label:
        text(*at, label, size=12, colour=SOFT)


def guest(y, name):
    frame(16, y, 250, 112, "guest", name)
    box(32, y + 34, 100, 62, "plain", "program", ("unmodified",))
    box(150, y + 34, 100, 62, "plain", "libcuda", ("libcudart",))
    arrow([(132, y + 65), (148, y + 65)])


def channel(y):
    box(318, y + 34, 112, 62, "shared", "call buffer", ("shared pages",))
    arrow([(252, y + 65), (316, y + 65)], both=True)


def worker(y):
    box(482, y + 34, 128, 62, "plain", "aVCPU", ("sandboxed process",))
    arrow([(432, y + 65), (480, y + 65)], both=True)
    box(634, y + 42, 54, 46, "shared", "gate")
    arrow([(610, y + 65), (632, y + 65)])
    arrow([(688, y + 65), (786, y + 65)])


def draw():
    frame(458, 16, 300, 318, "host", "Dom0")
    for y, name in ((16, "guest 1"), (148, "guest 2")):
        guest(y, name)
        channel(y)
        worker(y)
    box(482, 262, 206, 56, "plain", "pegasusd", ("policy: which domain, how long",))
    arrow([(661, 262), (661, 238)])
    arrow([(688, 290), (722, 290), (722, 116), (661, 120), (661, 106)])
    box(788, 60, 156, 160, "device", "accelerator", ("a GPU, or the CPU", "executing the", "program's PTX"))
    box(16, 360, 928, 54, "xen", "Xen", ("schedules vCPUs; exports their state and credit as a page that Dom0 reads",))
    arrow([(585, 360), (585, 320)], "CPU schedule", (536, 351))


def main():
    draw()
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="Helvetica, Arial, sans-serif">')
    print("<title>Pegasus: guests' CUDA calls reach Dom0 through shared pages and run when a policy opens their gate</title>")
    print(f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>')
    print('<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">'
          f'<path d="M0 0 L8 4 L0 8 z" fill="{INK}"/></marker></defs>')
    print("\n".join(drawn))
    print("</svg>")


main()
