# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages of the collection, its modules, plugins and roles: antsibull-docs makes them from their documentation."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import tempfile

from .layout import ROOT

INDEX = "collection/index.rst"
OPTIONS = ["--use-current", "--squash-hierarchy", "--fail-on-error", "--no-add-antsibull-docs-version"]


def pages() -> dict[str, str]:
    """The pages, by their paths in the site."""
    programs = pathlib.Path(sys.executable).parent
    environ = {
        **os.environ,
        "PATH": f"{programs}:{os.environ['PATH']}",
        "ANSIBLE_COLLECTIONS_PATH": str(ROOT / ".venv/collections"),
    }
    with tempfile.TemporaryDirectory(prefix="ccm-site-") as work:
        command = [programs / "antsibull-docs", "collection", *OPTIONS, "--dest-dir", work, "ccm.core"]
        done = subprocess.run(
            command, env=environ, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, text=True
        )
        if done.returncode:
            sys.exit(f"antsibull-docs: {done.stdout}")
        return {f"collection/{path.name}": path.read_text("utf-8") for path in pathlib.Path(work).glob("*.rst")}
