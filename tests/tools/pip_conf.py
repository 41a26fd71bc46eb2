# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn the output of `pip config list` into a pip.conf: what files and environment say, in one file."""

from __future__ import annotations

import ast
import sys


def pip_conf(listing: str) -> str:
    """The text of a pip.conf with the settings of LISTING, lines of `section.key='value'`.

    What comes from the environment (section `:env:`) wins over the files.
    """
    sections: dict[str, dict[str, str]] = {}
    for line in sorted(listing.splitlines(), key=lambda line: line.startswith(":env:")):
        name, value = line.split("=", 1)
        section, key = name.rsplit(".", 1)
        section = "global" if section == ":env:" else section
        sections.setdefault(section, {})[key] = ast.literal_eval(value)
    lines = []
    for section, settings in sections.items():
        lines.append(f"[{section}]")
        lines += [f"{key} = " + value.replace("\n", "\n    ") for key, value in settings.items()]
    return "".join(line + "\n" for line in lines)


if __name__ == "__main__":
    sys.stdout.write(pip_conf(sys.stdin.read()))
