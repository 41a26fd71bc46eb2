# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands that repeat the tests that failed; tests/conftest.py prints them at the end of each run of pytest."""

from __future__ import annotations

import os
import re
import shlex

LEAD = "To repeat: "
#: As this pattern finds them in the output.
COMMAND = re.compile(f"^{LEAD}(.+)$", re.MULTILINE)
# They are files and answers of the run that ends.
OF_ONE_RUN = {"CCM_HOSTS", "CCM_MET", "CCM_STATE"}


def repeating(config, reports):
    """Return a command for each test in the reports, with the settings and the options that decide what it does."""
    settings = [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith("CCM_")]
    settings = [setting for setting in settings if setting.partition("=")[0] not in OF_ONE_RUN]
    options = ["-p", "tests.tools.no_processes"] if config.pluginmanager.hasplugin("tests.tools.no_processes") else []
    if config.option.markexpr:
        options += ["-m", config.option.markexpr]
    names = dict.fromkeys(report.nodeid for report in reports)
    return [shlex.join([*settings, ".venv/bin/python", "-m", "pytest", *options, name]) for name in names]
