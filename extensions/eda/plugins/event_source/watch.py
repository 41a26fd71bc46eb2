# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Yield the events of `ccm watch` to rulebooks of event-driven Ansible."""

from __future__ import annotations

import asyncio
import json
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

#: A line of an event may be long: the content of a file is in it.
_LONGEST_LINE = 64 * 1024 * 1024


async def main(queue: asyncio.Queue[Any], args: dict[str, Any]) -> None:
    """Put the events into `queue` until the command ends. Raises ValueError without a manifest, and RuntimeError."""
    if not args.get("manifest"):
        raise ValueError("ccm.core.watch needs the path of a manifest in 'manifest'")
    words = [args.get("command") or "ccm", "watch", args["manifest"], "--events", "json-lines"]
    words += ["--noop"] if args.get("noop") else []
    words += args.get("arguments") or ()
    # The command takes arguments as bytes, and names are UTF-8 in every locale.
    process = await asyncio.create_subprocess_exec(
        *(word.encode() for word in words), stdout=asyncio.subprocess.PIPE, limit=_LONGEST_LINE
    )
    try:
        if process.stdout:
            async for line in process.stdout:
                await queue.put(json.loads(line))
        status = await process.wait()
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()
    if status:
        raise RuntimeError(f"ccm watch ended with the exit status {status}; the reason is on its standard error")
