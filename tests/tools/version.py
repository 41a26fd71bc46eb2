# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write a version to its two places: plugins/module_utils/version.py, the source, and galaxy.yml."""

from __future__ import annotations

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).parents[2]
PLACES = (
    ("plugins/module_utils/version.py", r'(?m)^VERSION = "(?P<version>[^"]*)"$', 'VERSION = "{}"'),
    ("galaxy.yml", r"(?m)^version: (?P<version>.*)$", "version: {}"),
)
SEMANTIC = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?")


def versions(root: pathlib.Path = ROOT) -> dict[str, str]:
    """The version that each place states now, by its path."""
    found = {}
    for path, pattern, _form in PLACES:
        match = re.search(pattern, (root / path).read_text(encoding="utf-8"))
        if match is None:
            raise ValueError(f"{path} states no version")
        found[path] = match["version"]
    return found


def write(version: str, root: pathlib.Path = ROOT) -> None:
    """Write VERSION into every place; ValueError when it is not MAJOR.MINOR.PATCH[-PRE]."""
    if not SEMANTIC.fullmatch(version):
        raise ValueError(f"{version!r} is not a version such as 1.2.3")
    for path, pattern, form in PLACES:
        text = (root / path).read_text(encoding="utf-8")
        (root / path).write_text(re.sub(pattern, form.format(version), text), encoding="utf-8")


if __name__ == "__main__":
    try:
        write(sys.argv[1])
    except ValueError as err:
        sys.exit(f"{err}: make version VERSION=1.2.3")
