# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shell scripts of the blocks of a page (blocks.py), and what their commands must print."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Mapping

from tests.conformance.nats_cases.server import free_port

from .blocks import Block, blocks

SEPARATOR = "=== next command ==="


def _file(block: Block, text: str) -> str:
    """Return the commands that write a block that is a file."""
    return f"mkdir -p $(dirname {block.name}); cat > {block.name} <<'END OF FILE'\n{text}END OF FILE\n"


def commands_in(text: str) -> list[tuple[str, str]]:
    """Return each command of a block of commands and their output, with its expected output."""
    found = []
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        lines = part.splitlines()
        while lines[0].endswith("\\") and len(lines) > 1:
            lines[0] = lines[0][:-1] + lines.pop(1).strip()
        command, *output = lines
        found.append((command, "\n".join(output)))
    return found


def script_of(
    page: pathlib.Path, temporary: pathlib.Path | str, kind: tuple[str, ...] = ("console",)
) -> tuple[str, list[tuple[str, str]]]:
    """Return a script with the files of a page and its commands of a kind, and each command with its expected output.

    What a command prints follows a line with SEPARATOR.
    """
    script = []
    wanted = []
    port = free_port()
    for block in blocks(page):
        text = block.text.replace("/tmp/", f"{temporary}/")
        if page.stem == "nats":
            text = text.replace(":4222", f":{port}")
        if block.name:
            script.append(_file(block, text))
        if block.words != kind:
            continue
        for command, output in commands_in(text):
            script.append(f"before=$?; echo '{SEPARATOR}'; (exit $before)\n{command}\n")
            wanted.append((command, output))
    return "".join(script), wanted


def commands_of(
    page: pathlib.Path, folders: Mapping[str, pathlib.Path | str], changes: Mapping[str, str] | None = None
) -> tuple[str, list[Block]]:
    """Return a script that ends with the first command that fails, and the blocks that it runs.

    `folders` has the directory of each kind of block, like "sh clone". A file of the page is written into the directory
    of the next block. `changes` are texts that are replaced, each by another one.
    """
    script = ["set -e\n"]
    run: list[Block] = []
    files: list[Block] = []
    for block in blocks(page):
        if block.name:
            files.append(block)
        folder = folders.get(" ".join(block.words))
        if folder is None:
            continue
        script.append(f"cd {folder}\n")
        for part in [*files, block]:
            text = part.text
            for old, new in (changes or {}).items():
                text = text.replace(old, new)
            script.append(_file(part, text) if part.name else f"echo '=== {part}' >&2\n{text}")
        run += [*files, block]
        files = []
    return "".join(script), run


def matches(wanted: str, printed: str) -> bool:
    """Return whether the output is the expected one; `...` matches any text, and blank lines are ignored."""
    pattern = ""
    for line in wanted.splitlines():
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        elif line.strip():
            pattern += ".*".join(map(re.escape, line.rstrip().split("..."))) + "\n"
    text = "".join(line.rstrip() + "\n" for line in printed.splitlines() if line.strip())
    return re.fullmatch(pattern, text) is not None
