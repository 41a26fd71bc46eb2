# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The settings in `ccm.engine` of a manifest: how the engine works, never its result (decisions.md, Extensions)."""

from __future__ import annotations

import os

from ..lang.digits import whole_number
from ..model.decode import NO_ORIGIN
from ..model.errors import InvalidResource
from ..model.kinds import decode_value
from ..model.meta import duration
from ..model.property import DURATION_PATTERN, NEVER, Property
from ..model.provider_options import provider_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..model.decode import Origin
    from ..model.values import Data


#: The orders in which the resources of a manifest are managed.
LIST, GRAPH = "serial", "graph"
#: As many at once as there are processors.
AUTO = "auto"


def _check(values: dict[str, Any]) -> None:
    _provider_options(values)
    if values["order"] not in (LIST, GRAPH, ""):
        raise InvalidResource(f"order must be one of {LIST}, {GRAPH}", property="order", value=values["order"])
    if values["parallel"]:
        parallel_of(values["parallel"], "parallel")
    duration("converged", values["converged"])


def parallel_of(given: str, name: str) -> int:
    """Return how many resources run at once by the value of the setting or flag `name`. Raises InvalidResource."""
    if given == AUTO:
        return os.cpu_count() or 1
    number = whole_number(given)
    if number:
        return number
    raise InvalidResource(f'{name} must be a whole number from 1, or {AUTO}, not "{given}"', property=name, value=given)


def _provider_options(values: dict[str, Any]) -> dict[str, int]:
    names = ("lock_timeout", "download_timeout", "download_tries", "download_limit", "package_index")
    return provider_options(**{name: values[name] for name in names})


def _duration(name: str, help: str) -> Property:
    return Property(name, when=NEVER, pattern=DURATION_PATTERN, help=help)


ENGINE = Property(
    "engine",
    "object",
    help="Settings of a run, written below ccm in a manifest.",
    check=_check,
    fields=(
        Property(
            "order",
            choices=(LIST, GRAPH),
            when=NEVER,
            help="serial: resources run in the order of the list. graph: each runs after those that it depends on.",
        ),
        Property(
            "parallel",
            when=NEVER,
            pattern="^(auto|0*[1-9][0-9]*)$",
            help="How many resources run at once in graph order: a number, or auto for as many as processors; 1.",
        ),
        Property(
            "autoedges",
            "boolean",
            nullable=True,
            default=True,
            help="Whether the order of a graph also follows from what resources provide and want.",
        ),
        Property(
            "autogroup",
            "boolean",
            nullable=True,
            default=True,
            help="Whether packages next to each other are installed or removed at once.",
        ),
        _duration(
            "converged",
            "Repair what changes until nothing has changed for so long, like 10s, then end; only for the command.",
        ),
        Property(
            "state",
            when=NEVER,
            pattern="^[A-Za-z0-9][A-Za-z0-9._-]*$",
            help="The name of the state between runs; the path of the manifest when not given.",
        ),
        Property(
            "outputs",
            "data",
            nullable=True,
            help="Values by name for a manifest that applies this one, which are resolved after its resources.",
        ),
        Property(
            "types",
            "strings",
            when=NEVER,
            help="Collections on the controller that offer resource types; only for plays.",
        ),
        _duration(
            "lock_timeout",
            "How long to wait for a package manager that another process is using, like 30s; 5m when not given.",
        ),
        _duration(
            "package_index",
            "Refresh the package index before the first package when it is older, like 1h; never when not given.",
        ),
        _duration(
            "download_timeout",
            "How long the download of an archive may take in all, like 10m; 1m when not given.",
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
    """The settings with their defaults, the `provider_options` for providers, and `declared`, the settings as written.

    `converged` is for how many ns nothing changes before a run ends, 0 for a single run. `outputs` are the values
    that the manifest passes on, written at `outputs_position`.
    """

    def __init__(self, given: Data, origin: Origin = NO_ORIGIN, *, ignore_unknown: bool = False) -> None:
        values: Any = decode_value(ENGINE, given, origin, ignore_unknown=ignore_unknown)
        self.declared = given
        self.autoedges: bool = values["autoedges"] is not False
        self.autogroup: bool = values["autogroup"] is not False
        self.order: str = values["order"] or LIST
        self.parallel = parallel_of(values["parallel"], "parallel") if values["parallel"] else 1
        self.converged = duration("converged", values["converged"])
        self.state: str = values["state"]
        self.outputs: Data = values["outputs"] or {}
        self.outputs_position = origin.position(("outputs",)) if self.outputs else None
        self.provider_options = _provider_options(values)
        self._parallel_position = origin.position(("parallel",)) if values["parallel"] else None

    @property
    def is_graph(self) -> bool:
        """Whether resources run in graph order."""
        return self.order == GRAPH

    def require_agreement(self) -> None:
        """Raise InvalidResource for a setting that has no meaning with the others."""
        if self._parallel_position is not None and self.order != GRAPH:
            advice = f"add order: {GRAPH}, or remove parallel"
            raise InvalidResource(
                f"parallel needs order: {GRAPH}", property="parallel", position=self._parallel_position, advice=advice
            )
