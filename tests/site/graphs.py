# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The graphs of the manifests in docs/gallery, drawn below each manifest: `ccm graph` makes them."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
import tempfile

FILE = re.compile(r"^```\w+ file=(?P<name>\S+)[^\n]*\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
TOOLTIP = re.compile(r', tooltip="(?:[^"\\]|\\.)*"')
MANIFEST = "manifest.yaml"
CCM = "import sys\nfrom ccm.cli.main import main\nsys.exit(main())\n"


def with_graph(text: str, drawing: str) -> tuple[str, str]:
    """Return a page with a link to a drawing below its manifest, and the graph to draw in the language dot."""
    files = list(FILE.finditer(text))
    (manifest,) = [file for file in files if pathlib.PurePath(file["name"]).name == MANIFEST]
    link = f"\n\n[Drawing: the graph of this manifest, what comes before what]({drawing})"
    graph = graph_of({each["name"]: each["text"] for each in files})
    return f"{text[: manifest.end()]}{link}{text[manifest.end() :]}", graph


def graph_of(files: dict[str, str]) -> str:
    """Return the graph of the manifest among the files of a page, with the data in a file beside it."""
    with tempfile.TemporaryDirectory(prefix="ccm-site-") as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        (manifest,) = [name for name in files if pathlib.PurePath(name).name == MANIFEST]
        data = [name for name, text in files.items() if name != manifest and "\ndata:\n" in f"\n{text}"]
        given = [word for name in data for word in ("--hiera", name)]
        facts = ["--fact", "env=prod", "--fact", "name=shop-1"]
        command = [sys.executable, "-c", CCM, "graph", "--format", "dot", manifest, *given, *facts]
        drawn = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout
        return TOOLTIP.sub("", drawn)  # a page shows them as links
