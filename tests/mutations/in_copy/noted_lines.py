# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Imported by each Python process of a copy: note which lines of the package run, while there is a configuration."""

from __future__ import annotations

import os
import sys

SETTINGS = os.path.join(sys.prefix, "noted_lines.ini")

if os.path.exists(SETTINGS):
    import coverage

    # Tests give the programs that they start other environments, so a variable would not reach all of them.
    os.environ["COVERAGE_PROCESS_START"] = SETTINGS
    coverage.process_startup()
    del os.environ["COVERAGE_PROCESS_START"]
