# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Yield the events of `ccm watch` to rulebooks of event-driven Ansible."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import subprocess
import threading
from collections.abc import AsyncIterator
from typing import Any

DOCUMENTATION = r"""
---
short_description: Yield what ccm watch repairs or reports
description:
  - Runs C(ccm watch MANIFEST --events json-lines), and yields each of its lines.
options:
  manifest:
    description: The path of the manifest.
    type: str
    required: true
  noop:
    description: Whether it only reports what differs, and repairs nothing.
    type: bool
    default: false
  command:
    description: The command ccm, with a path unless it is in E(PATH).
    type: str
    default: ccm
  arguments:
    description: More arguments of the command.
    type: list
    elements: str
    default: []
"""

EXAMPLES = r"""
- ccm.core.watch:
    manifest: /etc/ccm/manifest.yaml
    noop: true
"""

#: The most bytes of an event: the content of a file may be in it.
_LONGEST_EVENT = 64 * 1024 * 1024
#: How many bytes are read at once, and of an event that is skipped are searched for the resource.
_CHUNK = 64 * 1024
_TYPE_AND_NAME = re.compile(rb'"type":"(\w+)".*?"name":("(?:[^"\\]|\\.)*")', re.DOTALL)
#: How long a command may take to end, in seconds, and how often it is asked whether it has ended.
_GRACE = 3.0
_PAUSE = 0.02
_LOG = logging.getLogger(__name__)


async def main(queue: asyncio.Queue[Any], args: dict[str, Any]) -> None:
    """Put the events into `queue` until the command ends. Raises ValueError without a manifest, and RuntimeError.

    When it is cancelled, the command is told to end. A command that is busy, such as with the installation of a
    package, ends when that is done; it is not waited for.
    """
    if not args.get("manifest"):
        raise ValueError("ccm.core.watch needs the path of a manifest in 'manifest'")
    words = [args.get("command") or "ccm", "watch", args["manifest"], "--events", "json-lines"]
    words += ["--noop"] if args.get("noop") else []
    words += args.get("arguments") or ()
    # The command takes arguments as bytes, and names are UTF-8 in every locale. It is not a process of asyncio, which
    # kills its processes when the loop ends.
    process = subprocess.Popen([word.encode() for word in words], stdout=subprocess.PIPE)
    try:
        async for line in _lines(process):
            await queue.put(json.loads(line))
        while process.poll() is None:
            await asyncio.sleep(_PAUSE)
    finally:
        await _end(process)
    if process.returncode:
        raise RuntimeError(
            f"ccm watch ended with the exit status {process.returncode}; the reason is on its standard error"
        )


async def _lines(process: subprocess.Popen[bytes]) -> AsyncIterator[bytes]:
    """Yield the lines of the output; one that is too long is named in the log and left out, and so is half a line."""
    reader = asyncio.StreamReader(limit=_CHUNK)
    loop = asyncio.get_running_loop()
    transport, _protocol = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), process.stdout)
    try:
        line, length = bytearray(), 0
        while chunk := await reader.read(_CHUNK):
            for piece in chunk.splitlines(keepends=True):
                length += len(piece)
                if length <= _LONGEST_EVENT or len(line) < _CHUNK:
                    line += piece
                if piece.endswith(b"\n"):
                    if length <= _LONGEST_EVENT:
                        yield bytes(line)
                    else:
                        _LOG.warning(
                            "%s is skipped: it has %d bytes, more than %d", _named(line), length, _LONGEST_EVENT
                        )
                    line, length = bytearray(), 0
    finally:
        transport.close()


def _named(line: bytearray) -> str:
    """Return the words for an event by the resource that the beginning of its line names, as JSON has it.

    JSON escapes few characters: others that are not shown, or change what is shown, are escaped too.
    """
    found = _TYPE_AND_NAME.search(line[:_CHUNK])
    if not found:
        return "An event"
    name = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in found[2].decode(errors="replace"))
    return f"An event of {found[1].decode()}#{name}"


async def _end(process: subprocess.Popen[bytes]) -> None:
    """Tell a command that runs to end, and wait for a few seconds until it has ended."""
    waited = 0.0
    if process.poll() is None:
        process.terminate()
    while process.poll() is None and waited < _GRACE:
        await asyncio.sleep(_PAUSE)
        waited += _PAUSE
    if process.returncode is None:
        _LOG.warning("ccm watch (process %d) ends as soon as what it is doing is done", process.pid)
        # Its exit status is taken when it has ended.
        threading.Thread(target=process.wait, daemon=True).start()
