# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plots as SVG: lines over two logarithmic axes, and bars, also of shares. Nothing but text is made."""

from __future__ import annotations

import math
from xml.sax.saxutils import escape

NOTICE = "<!-- Copyright: (c) 2026, ccm.core contributors -->\n<!-- SPDX-License-Identifier: GPL-3.0-or-later -->\n"
#: Colours that differ also for people who do not see all of them.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#888888", "#000000")
GRID, INK = "#dddddd", "#222222"
WIDTH, ROW, LEFT, TOP, ROOM = 760, 20, 70, 40, 150


def text(x, y, words, anchor="start", bold=False):
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{weight}>{escape(str(words))}</text>\n'


def line(x1, y1, x2, y2, colour=GRID):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>\n'


def box(x, y, width, height, colour):
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" height="{height:.1f}" fill="{colour}"/>\n'


def drawing(height, title, body):
    """A whole document of WIDTH: white, with a title at the top."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" '
    head += f'height="{height:.0f}" font-family="sans-serif" font-size="12" fill="{INK}" role="img">\n'
    head += f"<title>{escape(title)}</title>\n"
    return f"{NOTICE}{head}{box(0, 0, WIDTH, height, '#ffffff')}{text(10, 22, title, bold=True)}{body}</svg>\n"


def decades(values):
    """The powers of ten around values, as exponents."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return range(low, max(high, low + 1) + 1)


def number(value):
    """A number for a reader: 10,000, 12.5 or 0.01."""
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"


def curves(title, series, across, along):
    """The points (x, y) of each name, joined; both axes are logarithmic, `across` and `along` name them."""
    points = [point for found in series.values() for point in found]
    if not points:
        return drawing(TOP + ROW, title, text(10, TOP + 10, "nothing was measured"))
    bottom, right = 340, WIDTH - ROOM
    xs, ys = decades([x for x, _y in points]), decades([y for _x, y in points])

    def at(x, y):
        return (
            LEFT + (math.log10(x) - xs[0]) / (xs[-1] - xs[0]) * (right - LEFT),
            bottom - (math.log10(y) - ys[0]) / (ys[-1] - ys[0]) * (bottom - TOP),
        )

    body = ""
    for power in xs:
        x, _y = at(10.0**power, 10.0 ** ys[0])
        body += line(x, TOP, x, bottom) + text(x, bottom + 16, number(10.0**power), "middle")
    for power in ys:
        _x, y = at(10.0 ** xs[0], 10.0**power)
        body += line(LEFT, y, right, y) + text(LEFT - 6, y + 4, number(10.0**power), "end")
    body += text((LEFT + right) / 2, bottom + 36, across, "middle") + text(LEFT, TOP - 5, along)
    ends = []
    for at_colour, (name, found) in enumerate(series.items()):
        colour = COLOURS[at_colour % len(COLOURS)]
        places = [at(x, y) for x, y in sorted(found)]
        if not places:
            continue
        joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        body += f'<polyline points="{joined}" fill="none" stroke="{colour}" stroke-width="2"/>\n'
        body += "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>\n' for x, y in places)
        ends.append((places[-1][1], name, colour))
    body += legend([(name, colour) for _y, name, colour in sorted(ends)], right + 14, TOP + 10)
    return drawing(bottom + 50, title, body)


def legend(names, x, y):
    """A column of names with their colours."""
    return "".join(
        box(x, y + ROW * at - 9, 10, 10, colour) + text(x + 16, y + ROW * at, name)
        for at, (name, colour) in enumerate(names)
    )


def bars(title, rows, unit=""):
    """A bar for each name and value, the value beside it."""
    if not rows:
        return drawing(TOP + ROW, title, text(10, TOP + 10, "nothing was measured"))
    left = 12 + 6.6 * max(len(name) for name, _value in rows)
    most = max(value for _name, value in rows) or 1
    body = ""
    for at, (name, value) in enumerate(rows):
        y = TOP + ROW * at
        width = value / most * (WIDTH - left - 90)
        body += text(left - 6, y + 13, name, "end") + box(left, y + 3, width, ROW - 6, COLOURS[0])
        body += text(left + width + 6, y + 13, f"{number(round(value, 2))}{unit}")
    return drawing(TOP + ROW * len(rows) + 12, title, body)


def stacks(title, rows):
    """A bar of shares for each name, {part: share of 1}; the parts have the same colours in all, and a legend."""
    parts = list(dict.fromkeys(part for _name, shares in rows for part in shares))
    if not parts:
        return drawing(TOP + ROW, title, text(10, TOP + 10, "nothing was measured"))
    colours = {part: COLOURS[at % len(COLOURS)] for at, part in enumerate(parts)}
    left = 12 + 6.6 * max(len(name) for name, _shares in rows)
    body = ""
    for at, (name, shares) in enumerate(rows):
        y, x = TOP + ROW * at, left
        body += text(left - 6, y + 13, name, "end")
        for part, share in shares.items():
            width = share * (WIDTH - left - 12)
            body += box(x, y + 3, width, ROW - 6, colours[part])
            x += width
    end = TOP + ROW * len(rows)
    body += legend(list(colours.items()), left, end + 24)
    return drawing(end + ROW * (len(parts) + 1) + 12, title, body)
