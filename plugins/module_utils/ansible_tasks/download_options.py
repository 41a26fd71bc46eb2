# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The options of modules that download something: the time, the tries and the size of a download."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Mapping

    from .ansible_module import ArgumentSpec

DOWNLOAD_OPTIONS: ArgumentSpec = {
    "download_timeout": {"type": "str"},
    "download_tries": {"type": "int"},
    "download_limit": {"type": "str"},
}


def download_options(params: Mapping[str, Any]) -> dict[str, int]:
    """Return the options of the provider that a task gives, times in ns, sizes in bytes. Raises InvalidResource."""
    given = {name: params[name] for name in DOWNLOAD_OPTIONS if params[name] not in (None, "")}
    if not given:
        return given
    from ..model.provider_options import provider_options

    return provider_options(**given)
