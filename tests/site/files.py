# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages that show files of the repository which pages link to, such as examples."""

from __future__ import annotations

import pathlib

from .layout import ROOT, tracked

LANGUAGES = {".py": "python", ".yaml": "yaml", ".yml": "yaml", ".toml": "toml"}
FENCE = "``````"


def page_of_files(path: str) -> str:
    """Return the page that shows a file, or every file of a folder."""
    shown = [path] if (ROOT / path).is_file() else tracked(f"{path}/*")
    parts = [f"---\norphan: true\n---\n\n# {path}\n"]
    for name in shown:
        text = (ROOT / name).read_text("utf-8")
        heading = "" if name == path else f"\n## {name.removeprefix(path + '/')}\n"
        language = LANGUAGES.get(pathlib.PurePath(name).suffix, "text")
        parts.append(f"{heading}\n{FENCE}{language}\n{text.rstrip()}\n{FENCE}\n")
    return "".join(parts)
