# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Where links lead to, step by step."""

from __future__ import annotations

import os

#: So many links are followed one after the other, as by the kernel.
MOST_LINKS = 40


def target_of(path: str) -> str:
    """Return the path that a link leads to, with the links above it resolved. Raises OSError where no link is."""
    target = os.readlink(path)
    try:
        above = os.path.realpath(os.path.dirname(path))
    except RecursionError:
        raise OSError(f"too many links lead to {path}") from None
    return os.path.normpath(os.path.join(above, target))


def steps_of_links(path: str) -> list[str]:
    """Return a path and, where a link is there, each path that it leads to: a link to a link, down to the last one."""
    steps = [path]
    while len(steps) <= MOST_LINKS:
        try:
            steps.append(target_of(steps[-1]))
        except (OSError, ValueError):
            break
    return steps
