# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plugin of pytest: write the tests that fail into a file, one a line."""

from __future__ import annotations

import pathlib
import sys

LIST = pathlib.Path(sys.prefix, "failed")


def pytest_runtest_logreport(report):
    if report.failed:
        with LIST.open("a", encoding="utf-8") as file:
            file.write(f"{report.nodeid}\n")
