# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Python packages that some functions work with, where they are installed."""

from __future__ import annotations

from ..function import CallError


def missing(package: str) -> CallError:
    """Return the CallError for a function that needs ``package`` where it is not installed."""
    return CallError(f"this needs the Python package {package}, which is not installed")
