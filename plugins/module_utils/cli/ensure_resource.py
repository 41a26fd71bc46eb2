# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The common part of `ccm ensure` commands: flags made from the declared properties, and the run of one resource."""

from __future__ import annotations

import os

from ..data.environment import Environment, facts_of_machine
from ..engine.around import stack_of
from ..engine.context import Context
from ..engine.event_log import EventLog
from ..engine.prerequisites import require_runnable
from ..engine.run import run_one
from ..engine.sink import Sink
from ..engine.templating import LateExpressions
from ..health.checks import run_check
from ..lang.spans import format_go
from ..manifest.declarations import read_declarations
from ..manifest.loader import unknown_type, validate_declarations
from ..model.errors import CCMError, InvalidResource
from ..model.flags import Flag
from ..model.provider import ProviderOptions
from ..redaction.texts import shown_source
from ..resources.types import references, resource_type, type_flags
from .command import Command
from .console import Console
from .run import HIERA_FILE, environment_variables, hierarchy_data, log_source, nats_of, open_session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Sequence

    from ..engine.session import Session
    from ..engine.session_state import SessionState
    from ..manifest.declarations import Declaration
    from ..model.contract import AnyType
    from ..model.event import Event
    from ..model.flags import Values
    from ..model.log import Log
    from ..model.resource import Resource, ResourceType
    from ..model.state import State
    from ..model.type_flags import TypeFlags
    from ..model.values import Data, Facts, ManifestProperties
    from ..resources.types import ListedType


def common_flags(type: ResourceType) -> tuple[Flag, ...]:
    """Return the flags that the command of every type has."""
    provider = Flag("provider", "text", "Resource provider", placeholder="NAME", offered=type.provider_names)
    return (*_GUARDS, provider, _REQUIRE)


_GUARDS = (
    Flag("alias", "text", "Resource alias"),
    Flag("check", "text", "Command to execute for additional health checks", placeholder="COMMAND", path="file"),
    Flag("check-tries", "integer", "Number of times to execute the health check command", default=5),
    Flag(
        "check-sleep", "duration", "Time to sleep between health check tries", default=1_000_000_000, placeholder="1s"
    ),
    Flag("if", "text", "Manage resource if it matches this condition", placeholder="CONDITION"),
    Flag("unless", "text", "Manage resource unless it matches this condition", placeholder="CONDITION"),
)
_REQUIRE = Flag(
    "require", "texts", "Require success on an earlier resource", placeholder="type#name", offered=references
)


def type_command(listed: ListedType) -> Command:
    """Return the command of a type that manages one resource."""
    type = resource_type(listed.name)
    if type is None:
        raise unknown_type(listed.name)
    given = type_flags(listed.name)
    return Command(
        f"ensure {listed.name}",
        listed.help,
        arguments=given.arguments,
        flags=(*given.flags, *common_flags(type)),
        aliases=listed.aliases,
        run=lambda values: _ensure(type, given, values),
    )


def ensure_environment(values: Values, log: Log) -> Environment:
    """Return the environment of the expressions of one resource."""
    environ = environment_variables(values, log)
    facts = facts_of_machine(log)
    data = _hierarchy_data(values, facts, log)
    return Environment(facts, data, environ, nats=lambda: nats_of(values), before_waiting=log.before_waiting)


def _hierarchy_data(values: Values, facts: Callable[[], Facts], log: Log) -> Data:
    """Return the data of `--hiera`, none when its file does not exist (behaviour.md 19.2). Raises DataError."""
    if not values.hiera:
        return {}
    if values.hiera == HIERA_FILE and not os.path.exists(HIERA_FILE):
        log_source(HIERA_FILE, log)
    else:
        from ..data.sources import SourceNotFound

        try:
            return hierarchy_data(values.hiera, facts, values, log).data
        except SourceNotFound:
            pass
    log.debug("Hiera data file not found, skipping", file=shown_source(values.hiera))
    return {}


def _ensure(type: AnyType, given: TypeFlags, values: Values) -> int:
    """Bring one resource to its state, record and log its event; 0 also when the resource failed (decisions.md Q1).

    Raises CCMError.
    """
    properties, options = given.properties(values), _options(given, values)
    console = Console(values)
    session = open_session(values)
    if values.require and not values.session:
        raise CCMError("session store should be set when using requires", advice="make one with: ccm session new")
    environment = ensure_environment(values, console.log)
    declaration = one_declaration(type, {**properties, **_common(values)})
    declaration.resource = declaration.resource.with_properties({"health_checks": _checks(values)})
    try:
        validate_declarations([declaration], environment)
    except InvalidResource as error:
        reference = declaration.resource.reference
        if error.message.startswith(reference):
            raise
        raise error.prefixed(f"{reference}: invalid resource: ") from None
    require_runnable(declaration.resource)
    context = ensure_context(
        declaration.resource,
        environment,
        session,
        values,
        console,
        options=ProviderOptions(options),
        sinks=(session, _Result(given, values), EventLog(console.user_log)),
    )
    run_one(declaration.resource, context)
    return 0


def _options(given: TypeFlags, values: Values) -> dict[str, int]:
    """Return the options of the provider, by name, that flags give. Raises InvalidResource."""
    options = {name: getattr(values, name) for name in given.options if getattr(values, name) != ""}
    if not options:
        return {}
    from ..model.provider_options import provider_options

    return provider_options(**options)


class _Result(Sink):
    """Lets the flags of a type check the result, before it is logged."""

    def __init__(self, given: TypeFlags, values: Values) -> None:
        self._given = given
        self._values = values

    def finished(self, event: Event) -> None:
        self._given.check_result(self._values, event.errors)


def one_declaration(type: ResourceType, properties: Data) -> Declaration:
    """Return the declaration of one resource. Raises InvalidResource."""
    return read_declarations(type, properties)[0]


def ensure_context(
    resource: Resource,
    environment: Environment,
    session: Session,
    values: Values,
    console: Console,
    *,
    options: ProviderOptions | None = None,
    sinks: Sequence[Sink] = (),
    run_child: Callable[[ManifestProperties, Context], State] | None = None,
) -> Context:
    """Return the context of a resource that belongs to no manifest."""
    state = session_state(session, values)
    return Context(
        session,
        noop=values.noop,
        log=console.log,
        user_log=console.user_log,
        facts=lambda: environment.facts or {},
        stack=stack_of(state, None, None, LateExpressions(strict=False)),
        resources=(resource,),
        environment=environment,
        options=options,
        sinks=sinks,
        run_child=run_child,
        run_check=run_check,
    )


def session_state(session: Session, values: Values) -> SessionState | None:
    """Return the refreshes that resources of the session are owed, None for a session that ends with the command."""
    if not values.session or values.no_state:
        return None
    from ..engine.session_directory import DirectorySession
    from ..engine.session_state import SessionState

    return SessionState(session) if isinstance(session, DirectorySession) else None


def _common(values: Values) -> Data:
    common: Data = {"alias": values.alias, "provider": values.provider, "require": values.require}
    control = {"if": getattr(values, "if"), "unless": values.unless}
    if any(control.values()):
        common["control"] = control
    return common


def _checks(values: Values) -> list[Data]:
    """Return the check of `--check`: with tries and a pause, but with no name and no format, as in the original."""
    if not values.check:
        return []
    return [
        {
            "command": values.check,
            "goss_rules": None,
            "name": "",
            "timeout": "",
            "tries": values.check_tries,
            "try_sleep": format_go(values.check_sleep),
            "format": "",
        }
    ]
