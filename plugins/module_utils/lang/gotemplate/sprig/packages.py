# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Python packages that some functions work with: together they are the extra `crypto` of ccm-core."""

from __future__ import annotations

from ..function import CallError


def missing(package: str) -> CallError:
    """Return the CallError for a function that needs ``package`` where it is not installed."""
    return CallError(
        f"this needs the Python package {package}, which is not installed: install python3-{package},"
        " or with pip ccm-core[crypto] where ccm is in a virtual environment"
    )
