# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The common part of commands that run resources: environment variables, hierarchy data and the session."""

from __future__ import annotations

from ..data.environment import read_environ
from ..engine.session import Session
from ..model.errors import CCMError
from ..model.flags import NATS, Flag
from ..redaction.texts import shown_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ..data.hierarchy import Resolved
    from ..manifest.manifest import Manifest
    from ..model.flags import Values
    from ..model.log import Log
    from ..model.values import Facts
    from ..nats.access import NatsAccess
    from .nats_sources import NatsSources

#: The hierarchy data that `ccm ensure` reads by default.
HIERA_FILE = ".hiera"
SESSION_STORE = "CCM_SESSION_STORE"

READ_ENV = Flag("read-env", "switch", "Read extra variables from .env file", default=True)
NO_STATE = Flag("no-state", "set", "Keep no state between runs, as the original does")
REGISTER = Flag("register", "set", "Publish register_when_stable of resources that are well in NATS")
NATS_CONTEXT = Flag("context", "text", "NATS Context to connect with", default="CCM", env="NATS_CONTEXT")


def note_registrations(manifest: Manifest, values: Values, log: Log) -> None:
    """Log that registrations are not published where a manifest has some."""
    names = [each.reference for each in manifest.resources if each.properties.register_when_stable]
    if names and not values.register:
        text = "Registrations are not published: --register is not given"
        log.info(text, resources=", ".join(names))


def environment_variables(values: Values, log: Log) -> dict[str, str]:
    """Return `Environ` of expressions: the process environment, and `.env` unless `--no-read-env` is given."""
    return read_environ(values.read_env, log=log)


def nats_of(values: Values) -> NatsAccess:
    """Return what a command uses of NATS, the same at each call; it ends with the command."""
    found: NatsAccess | None = vars(values).get(NATS)
    if found is None:
        from ..nats.access import NatsAccess

        found = vars(values)[NATS] = NatsAccess(values.context, vars(values).get("registration") or "")
    return found


def followed(values: Values, log: Log) -> NatsSources | None:
    """Return the sources in NATS, whose changes are reported from now on; None where all are elsewhere."""
    if not any(source.startswith(("obj://", "kv://")) for source in (values.manifest, values.hiera)):
        return None
    from .nats_sources import NatsSources

    return NatsSources(values, log).begin()


def hierarchy_data(source: str, facts: Callable[[], Facts], values: Values, log: Log) -> Resolved:
    """Return the resolved data of `--hiera`. Raises DataError."""
    from ..data.sources import load_data

    log_source(source, log)
    return load_data(source, facts, nats=lambda: nats_of(values), log=log, piped=source != HIERA_FILE)


def log_source(source: str, log: Log) -> None:
    """Log which source of hierarchy data is read."""
    log.debug("Loading overriding hiera data from external source", source=shown_source(source))


def open_session(values: Values) -> Session:
    """Return the session of `--session` or its variable, else one in memory. Raises CCMError for an empty name."""
    if not values.session:
        if "session" in values.given:
            raise CCMError("session store should not be empty")
        return Session()
    from ..engine.session_directory import DirectorySession

    return DirectorySession(values.session)
