# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The packages of the command: `ccm` and all directories below, which pyproject.toml could only list one by one."""

import pathlib

from setuptools import setup

ROOT = pathlib.Path(__file__).parent / "plugins" / "module_utils"

setup(packages=sorted(".".join(("ccm", *path.parent.relative_to(ROOT).parts)) for path in ROOT.rglob("__init__.py")))
