# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm ensure package`: a package, present, absent, at its latest or at one version."""

from __future__ import annotations

from ..model.provider_options import provider_options
from ..resources.package.type import ABSENT, LATEST, PRESENT
from ..resources.package.type import TYPE as PACKAGE_TYPE
from .command import Argument, Command, Flag
from .ensure_resource import common_flags, ensure_resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .command import Values


def _ensure(values: Values) -> int:
    properties = {"name": values.name, "ensure": values.ensure}
    options = provider_options(lock_timeout=values.lock_timeout)
    return ensure_resource(PACKAGE_TYPE, properties, values, options=options)


PACKAGE = Command(
    "ensure package",
    "Package management",
    arguments=(
        Argument("name", "Package name to manage", required=True),
        Argument("ensure", "Ensure value", default=PRESENT, offered=(PRESENT, ABSENT, LATEST)),
    ),
    flags=(
        Flag(
            "lock-timeout",
            "text",
            "How long to wait for a package manager that another process is using, 5m when not given",
            placeholder="DURATION",
        ),
        *common_flags(PACKAGE_TYPE),
    ),
    aliases=("pkg",),
    run=_ensure,
)
