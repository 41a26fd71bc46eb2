# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Names that the programs of package managers would take for options."""

from __future__ import annotations

from ...model.errors import ResourceFailed


def option_refused(name: str) -> ResourceFailed:
    """The error for one; it is raised on looking, since the original takes such a name as a valid one."""
    return ResourceFailed(f"package name begins with a dash: {name}", property="name", value=name)
