# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The command line of package resources (behaviour.md 19.2)."""

from __future__ import annotations

from ...model.flags import Argument, Flag
from ...model.provider_options import provider_options
from ...model.type_flags import PropertyFlags, TypeFlags
from .type import ABSENT, HOLD, LATEST, NONE, PRESENT, PURGED, TYPE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.flags import Values
    from ...model.values import Data


_OWN = PropertyFlags(TYPE, settings={"mark": {"offered": (HOLD, NONE)}})


class PackageFlags(TypeFlags):
    """A package's name, version and mark, and how long to wait for other processes."""

    arguments = (
        Argument("name", "Package name to manage", required=True),
        Argument("ensure", "Ensure value", default=TYPE.default_ensure, offered=(PRESENT, ABSENT, LATEST, PURGED)),
    )
    flags = (
        *_OWN.flags,
        Flag(
            "lock-timeout",
            "text",
            "How long to wait for a package manager that another process is using, 5m when not given",
            placeholder="DURATION",
        ),
    )

    def properties(self, values: Values) -> Data:
        """Return the given properties."""
        return {"name": values.name, "ensure": values.ensure, **_OWN.properties(values)}

    def options(self, values: Values) -> dict[str, int]:
        """Return how long to wait. Raises InvalidResource."""
        return provider_options(lock_timeout=values.lock_timeout)


FLAGS = PackageFlags()
