# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The settings in `ccm.engine` of a manifest: how the engine works, never its result (decisions.md, Extensions)."""

from __future__ import annotations

from ..model.decode import NO_ORIGIN, decode_value
from ..model.property import NEVER, Property
from ..model.provider_options import provider_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..model.decode import Origin
    from ..model.values import Value


def _check(values: dict[str, Any]) -> None:
    _provider_options(values)


def _provider_options(values: dict[str, Any]) -> dict[str, int]:
    names = ("lock_timeout", "download_timeout", "download_tries", "download_limit", "package_index")
    return provider_options(**{name: values[name] for name in names})


ENGINE = Property(
    "engine",
    "object",
    check=_check,
    fields=(
        Property(
            "autogroup",
            "boolean",
            nullable=True,
            default=True,
            help="Whether packages that stand next to each other are installed or removed at once.",
        ),
        Property(
            "types",
            "strings",
            when=NEVER,
            help="Collections on the controller that offer resource types; only for plays.",
        ),
        Property(
            "lock_timeout",
            when=NEVER,
            pattern="[0-9.][a-zA-Z]|^0$",
            help="How long to wait for a package manager that another process is using, like 30s; 5m when not given.",
        ),
        Property(
            "package_index",
            when=NEVER,
            pattern="[0-9.][a-zA-Z]|^0$",
            help="Refresh the package index before the first package when it is older, like 1h; never when not given.",
        ),
        Property(
            "download_timeout",
            when=NEVER,
            pattern="[0-9.][a-zA-Z]|^0$",
            help="How long the download of an archive may take in all, like 10m; 1m when not given.",
        ),
        Property(
            "download_limit",
            when=NEVER,
            pattern="^[0-9]+(B|[KMGT]iB)?$",
            help="The largest archive that is downloaded, like 2GiB; any when not given.",
        ),
        Property(
            "download_tries",
            "integer",
            nullable=True,
            minimum=1,
            help="How often a server is asked for an archive at most; 3 when not given.",
        ),
    ),
)


class EngineSettings:
    """`autogroup` as declared, the `provider_options` for providers, `declared` what was written."""

    def __init__(self, given: Value = None, origin: Origin = NO_ORIGIN, *, ignore_unknown: bool = False) -> None:
        self.autogroup = True
        self.provider_options: dict[str, int] = {}
        self.declared: Value = given
        values: Any = decode_value(ENGINE, given, origin, ignore_unknown=ignore_unknown)
        if values:
            self.autogroup = values["autogroup"] is not False
            self.provider_options = _provider_options(values)
