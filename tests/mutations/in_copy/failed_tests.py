# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plugin of pytest: write the tests that fail into a file, one a line."""

from __future__ import annotations

import pathlib
import sys

# Opened at once: a test may be another user by the time it fails.
LIST = pathlib.Path(sys.prefix, "failed").open("a", encoding="utf-8", buffering=1)  # noqa: SIM115 - until the process ends


def pytest_runtest_logreport(report):
    if report.failed:
        LIST.write(f"{report.nodeid}\n")
