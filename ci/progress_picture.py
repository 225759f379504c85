# SPDX-License-Identifier: Apache-2.0
"""Draws the progress matrix (progress.py): a heat map for each policy and measure, as one SVG."""

import math
from html import escape

from progress import CHANGES, COLUMNS, GAPS, KERNELS, LEAST, OTHERS, ROWS, WORK, shown

INK, SOFT, PAPER = "#1f2933", "#52606d", "#ffffff"
# A colour from this value on. Orange is below the promise and blue is not: colour-blind people tell them apart.
LEAST_COLOURS = ((0, "#662506"), (0.1, "#a34a05"), (0.3, "#e08214"), (0.5, "#fdb863"), (0.7, "#fee0b6"),
                 (LEAST, "#92c5de"), (1.1, "#2166ac"))
WORK_COLOURS = ((0, "#a34a05"), (0.5, "#e08214"), (0.7, "#fdb863"), (WORK, "#b3d7e8"), (0.97, "#2166ac"))
WIDTH, HEIGHT, BETWEEN = 12, 10, 3  # of a cell, and between groups of cells
LEFT, MARGIN, APART = 106, 16, 18
MAP_WIDTH = len(COLUMNS) * WIDTH + (len(CHANGES) - 1) * BETWEEN
MAP_HEIGHT = len(ROWS) * HEIGHT + (len(GAPS) - 1) * BETWEEN


class Drawing:
    def __init__(self):
        self.drawn = []

    def text(self, x, y, words, anchor="start", kind="", turned=False):
        how = (f' text-anchor="{anchor}"' if anchor != "start" else "") + (f' class="{kind}"' if kind else "")
        at = f'transform="translate({x:g} {y:g}) rotate(-90)"' if turned else f'x="{x:g}" y="{y:g}"'
        self.drawn.append(f"<text {at}{how}>{escape(words)}</text>")

    def cells(self, corners, colour):
        """All of one colour as one path, which is short."""
        path = "".join(f"M{x:g} {y:g}h{WIDTH}v{HEIGHT}h-{WIDTH}z" for x, y in corners)
        self.drawn.append(f'<path fill="{colour}" d="{path}"/>')


def left_of(column):
    return column * WIDTH + column // len(OTHERS) * BETWEEN


def top_of(row):
    return row * HEIGHT + row // len(KERNELS) * BETWEEN


def colour_of(value, colours):
    return next(colour for least, colour in reversed(colours) if value >= least)


def draw_map(drawing, x, y, policy, values, colours, promised):
    """`values` by row and column."""
    name, _, tunables = policy.partition(" ")
    drawing.text(x, y - 18, name, kind="b")
    drawing.text(x, y - 6, tunables)
    drawing.text(x + MAP_WIDTH, y - 6, f"{sum(value < promised for value in values.values())} below", anchor="end")
    corners = {}
    for (row, column), value in values.items():
        corner = (x + left_of(COLUMNS.index(column)), y + top_of(ROWS.index(row)))
        corners.setdefault(colour_of(value, colours), []).append(corner)
    for _, colour in colours:
        if colour in corners:
            drawing.cells(corners[colour], colour)
    for number, change in enumerate(CHANGES):
        middle = x + left_of(number * len(OTHERS)) + len(OTHERS) * WIDTH / 2
        drawing.text(middle, y + MAP_HEIGHT + 13, change, anchor="middle")


def label_rows(drawing, y):
    for number, row in enumerate(ROWS):
        gap, kernel = row.split(", ")
        drawing.text(LEFT - 6, y + top_of(number) + HEIGHT - 1.5, kernel, anchor="end", kind="s")
        if number % len(KERNELS) == 0:
            drawing.text(MARGIN, y + top_of(number) + HEIGHT * len(KERNELS) / 2 + 4, gap)
    drawing.text(MARGIN, y - 6, "gap", kind="b")
    drawing.text(LEFT - 6, y - 6, "kernel", anchor="end", kind="b")
    drawing.text(LEFT - 6, y + MAP_HEIGHT + 13, "change", anchor="end", kind="b")


def label_others(drawing, y):
    drawing.text(LEFT - 6, y + 28, "others", anchor="end", kind="b")
    for column in range(len(COLUMNS)):
        others = list(OTHERS)[column % len(OTHERS)]
        drawing.text(LEFT + left_of(column) + WIDTH / 2 + 3.5, y + 19, others, anchor="end", kind="s", turned=True)


def legend(drawing, y, colours):
    x = LEFT
    for number, (least, colour) in enumerate(colours):
        drawing.drawn.append(f'<rect x="{x}" y="{y - 10}" width="22" height="12" fill="{colour}"/>')
        words = f"below {colours[1][0]}" if number == 0 else f"from {least}"
        drawing.text(x + 27, y, words)
        x += 38 + 7 * len(words)


def draw_measure(drawing, y, matrix, heading, measure, colours, promised):
    """Returns where it ends."""
    drawing.text(MARGIN, y, heading, kind="h")
    legend(drawing, y + 24, colours)
    y += 70
    for number, (policy, results) in enumerate(matrix.items()):
        place = number % maps_in_a_row(matrix)
        if number and place == 0:
            y += MAP_HEIGHT + 54
        if place == 0:
            label_rows(drawing, y)
        values = {at: measure(result) for at, result in shown(results).items()}
        draw_map(drawing, LEFT + place * (MAP_WIDTH + APART), y, policy, values, colours, promised)
    y += MAP_HEIGHT
    label_others(drawing, y)
    return y + 90


def maps_in_a_row(matrix):
    return max(2, math.ceil(len(matrix) / 2))


def draw(matrix):
    drawing = Drawing()
    y = draw_measure(drawing, 30, matrix, f"n times the least progress of a domain (promised: {LEAST})",
                     lambda result: result.least, LEAST_COLOURS, LEAST)
    y = draw_measure(drawing, y, matrix, f"Sum of all progress over the best of these policies (promised: {WORK})",
                     lambda result: result.work, WORK_COLOURS, WORK)
    width, height = LEFT + maps_in_a_row(matrix) * (MAP_WIDTH + APART), y - 40
    style = (f"text{{fill:{SOFT}}}.h{{font-size:14px;font-weight:bold;fill:{INK}}}"
             f".b{{font-weight:bold;fill:{INK}}}.s{{font-size:9px}}")
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            'role="img" font-family="sans-serif" font-size="11">',
            "<title>The progress matrix: what each domain keeps, and all together, under each policy</title>",
            f"<style>{style}</style>",
            f'<rect width="{width}" height="{height}" fill="{PAPER}"/>')
    return "\n".join((*head, *drawing.drawn, "</svg>", ""))
