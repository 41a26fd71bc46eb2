# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""File paths as text, cleaned the way Go does it."""

from __future__ import annotations


def clean(path: str) -> str:
    """Return the shortest path equal to `path` by text alone: no empty, `.` or inner `..` parts; `.` for nothing."""
    rooted = path.startswith("/")
    parts: list[str] = []
    for part in path.split("/"):
        if part in ("", "."):
            continue
        if part != "..":
            parts.append(part)
        elif parts and parts[-1] != "..":
            parts.pop()
        elif not rooted:
            parts.append(part)
    joined = "/".join(parts)
    return "/" + joined if rooted else joined or "."


def base(path: str) -> str:
    """Return the last part of a path: `.` for nothing, `/` for the root."""
    if not path:
        return "."
    return path.rstrip("/").rpartition("/")[2] or "/"


def join(directory: str, path: str) -> str:
    """`path` seen from `directory`, cleaned; an absolute `path` and an empty `directory` change nothing."""
    if not directory or path.startswith("/"):
        return path
    return clean(f"{directory}/{path}")
