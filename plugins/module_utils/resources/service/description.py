# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The description of services for schemas and lint."""

from __future__ import annotations

from ...model.property import Property
from ...model.type_description import TypeDescription
from .type import MASK, UNMANAGED

_STATE_FIELDS = (
    Property(
        "metadata",
        "object",
        required=True,
        fields=(
            Property("name", required=True, help="The name of the resource."),
            Property("provider", required=True, help="The provider that read the state."),
            Property("enabled", "boolean", required=True, help="Whether it is started at boot."),
            Property("running", "boolean", required=True, help="Whether the service is running."),
        ),
    ),
)


def _portability_of_name(value: object) -> str:
    """Return why the original refuses a name (decisions.md Q23, Q94); "" for others and with an expression."""
    if not isinstance(value, str) or "{" in value:
        return ""
    signs = " and ".join(sign for sign in ("@", "\\") if sign in value)
    return f"the original refuses names of services with {signs}" if signs else ""


def _portability_of_ensure(value: object) -> str:
    return f"the original has no ensure: {UNMANAGED}" if value == UNMANAGED else ""


def _portability_of_enable(value: object) -> str:
    return f"the original takes only true or false for enable, not {MASK}" if value == MASK else ""


DESCRIPTION = TypeDescription(
    _STATE_FIELDS,
    portability={
        "name": _portability_of_name,
        "ensure": _portability_of_ensure,
        "enable": _portability_of_enable,
    },
)
