#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/diagrams/fleet.svg from what bench/fleet wrote to fleet.csv: utilization over time, and run times.

usage: docs/diagrams/fleet.py >docs/diagrams/fleet.svg
"""
import csv
import math
from html import escape
from pathlib import Path

WIDTH, HEIGHT = 960, 380
TOP, BOTTOM = 60, 320  # of both plots
INK, SOFT, GRID = "#1f2933", "#616e7c", "#d9dee4"
COLOUR = {"rule": "#2563a8", "in turn": "#c2562b"}
NAME = {"rule": "pegasusd's rule", "in turn": "in turn"}
drawn = []


def text(x, y, words, size=12, colour=INK, anchor="middle", weight="normal"):
    drawn.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" font-weight="{weight}" '
                 f'text-anchor="{anchor}">{escape(words)}</text>')


def line(points, colour, width=1.0, dash=""):
    path = " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    drawn.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="{width}"'
                 + (f' stroke-dasharray="{dash}"' if dash else "") + "/>")


def area(lower, upper, colour):
    path = " L".join(f"{x:.1f} {y:.1f}" for x, y in lower + upper[::-1])
    drawn.append(f'<path d="M{path} Z" fill="{colour}" fill-opacity="0.18" stroke="none"/>')


class Plot:
    """A plot between two x on the page. `x` and `y` map values to 0..1."""

    def __init__(self, left, right, title, x, y):
        self.left, self.right, self.x, self.y = left, right, x, y
        text(left, TOP - 34, title, size=14, anchor="start", weight="bold")

    def at(self, x, y):
        return (self.left + self.x(x) * (self.right - self.left), BOTTOM - self.y(y) * (BOTTOM - TOP))

    def ticks_y(self, ticks):
        for value, words in ticks:
            _, y = self.at(0, value)
            line([(self.left, y), (self.right, y)], GRID)
            text(self.left - 8, y + 4, words, colour=SOFT, anchor="end")

    def ticks_x(self, ticks, words_below):
        for value, words in ticks:
            x, _ = self.at(value, 0)
            line([(x, BOTTOM), (x, BOTTOM + 5)], SOFT)
            text(x, BOTTOM + 20, words, colour=SOFT)
        line([(self.left, BOTTOM), (self.right, BOTTOM)], SOFT)
        text((self.left + self.right) / 2, BOTTOM + 42, words_below, colour=SOFT)


def legend(x, y):
    for number, placement in enumerate(NAME):
        left = x + 130 * number
        line([(left, y - 4), (left + 22, y - 4)], COLOUR[placement], 2)
        text(left + 28, y, NAME[placement], anchor="start")


def draw_utilization(rows):
    end = math.ceil(max(float(row[2]) for row in rows))
    plot = Plot(60, 450, "Utilization of a host's accelerators", lambda x: x / end, lambda y: y)
    plot.ticks_y([(part / 4, f"{25 * part} %") for part in range(5)])
    plot.ticks_x([(second, str(second)) for second in range(0, int(end) + 1, 5)],
                 "seconds; bands from the least used accelerator to the most used")
    for placement in reversed(NAME):
        own = [[float(value) for value in row[2:]] for row in rows if row[1] == placement]
        least, mean, most = ([plot.at(row[0], row[column]) for row in own] for column in (1, 2, 3))
        area(least, most, COLOUR[placement])
        for border in (least, most):
            line(border, COLOUR[placement], 1.4)
        line(mean, COLOUR[placement], 1, "3 3")


def draw_slowdowns(rows):
    # Percentiles on a scale that gives each further nine the same room.
    least, most = 0.5, 0.998
    depth = lambda part: -math.log10(1 - min(part, most))
    greatest = max(float(row[3]) for row in rows if float(row[2]) <= most)
    decades = math.log10(greatest) * 1.03
    plot = Plot(540, 930, "Run time over that alone",
                lambda x: (depth(x) - depth(least)) / (depth(most) - depth(least)),
                lambda y: math.log10(max(y, 1)) / decades)
    plot.ticks_y([(value, f"{value}x") for value in (1, 2, 5, 10, 20, 50, 100) if value <= greatest])
    plot.ticks_x([(0.5, "50 %"), (0.8, "80 %"), (0.9, "90 %"), (0.95, "95 %"), (0.98, "98 %"), (0.99, "99 %"), (0.998, "99.8 %")],
                 "of all domains have at most this")
    for placement in NAME:
        own = [(float(row[2]), float(row[3])) for row in rows if row[1] == placement]
        line([plot.at(*point) for point in own if least <= point[0] <= most], COLOUR[placement], 2)


with Path(__file__).with_suffix(".csv").open(encoding="utf-8") as data:
    rows = [row for row in csv.reader(data) if not row[0].startswith("#")]
draw_utilization([row for row in rows if row[0] == "utilization"])
draw_slowdowns([row for row in rows if row[0] == "slowdown"])
legend(740, TOP - 34)
print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" role="img">'
      f'<title>A fleet: utilization over time, and run times, with two ways to place domains</title>'
      f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>')
print("\n".join(drawn))
print("</svg>")
