# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The contract that every provider fulfils, and what it knows of a run."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ..host.machine import Machine
from .contract import Contract, P, S
from .log import Log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, ClassVar, Dict, Mapping, Optional, Sequence, Tuple

    from .environment import ExpressionEnvironment
    from .event_source import EventSource
    from .state import State
    from .values import Difference, Facts, ManifestProperties

    RunChild = Callable[[ManifestProperties], State]
    #: By names of resources and of properties, digests of values that other resources sent: when the resource was
    #: brought to its state last, None before that, and now.
    Received = Dict[str, Dict[str, Tuple[Optional[int], int]]]


class ProviderOptions:
    """Limits that a user sets for providers; each has a default.

    `lock_timeout` is how long to wait, in ns, for other processes that use a package manager, `package_index` the age
    in ns from which on its index is refreshed, None for never. `download_timeout` is in ns and for a whole download,
    `download_tries` the most requests to its server, `download_limit` the largest archive in bytes, None for any.
    """

    lock_timeout = 300_000_000_000
    package_index: int | None = None
    download_timeout = 60_000_000_000
    download_tries = 3
    download_limit: int | None = None

    def __init__(self, given: Mapping[str, int] | None = None) -> None:
        self.__dict__.update(given or {})


#: The defaults.
NO_OPTIONS = ProviderOptions()


class RunContext:
    """What providers, health checks and the engine all know of a run: what does not depend on a resource.

    `machine` is the host as the run knows it; relative names are resolved against `directory`; `log` is the program's
    log, `user_log` the log for users, `environment` the environment of expressions and templates, None for none.
    """

    def __init__(
        self,
        *,
        machine: Machine | None = None,
        directory: str = "",
        log: Log | None = None,
        user_log: Log | None = None,
        environment: ExpressionEnvironment | None = None,
    ) -> None:
        self.directory = directory
        self.log = log or Log()
        self.user_log = user_log or Log()
        self.machine = machine or Machine(self.user_log.before_waiting)
        self.environment = environment


class ProviderContext(RunContext, Contract[P]):
    """All that a provider knows of its run.

    `siblings` are the properties of all resources of the type, this one included, in their order; `run_child` runs the
    manifest that a resource names. `received` is for `Provider.received`.
    """

    def __init__(
        self,
        *,
        machine: Machine | None = None,
        directory: str = "",
        log: Log | None = None,
        user_log: Log | None = None,
        environment: ExpressionEnvironment | None = None,
        siblings: Sequence[P] = (),
        options: ProviderOptions | None = None,
        noop: bool = False,
        run_child: RunChild | None = None,
        received: Received | None = None,
    ) -> None:
        super().__init__(machine=machine, directory=directory, log=log, user_log=user_log, environment=environment)
        self.siblings = siblings
        self.received: Received = {} if received is None else received
        self.options = options or NO_OPTIONS
        self.noop = noop
        self.run_child = run_child


class Provider(ABC, Contract[P, S]):
    """One way to manage resources of a type on this host.

    It reads the host (`status`) and changes it: a method for each verb of the type, called with the properties and the
    state, in which it notes what `status_after` needs. It decides nothing.

    Resources that are managed one after the other in a run share an instance. One whose class overrides `close` lives
    as long as the run or the watching; others are made anew for each step of a watching.

    With `differs_in_files` front ends show which files differ, not how.
    """

    name: ClassVar[str]
    platform_families: ClassVar[tuple[str, ...]] = ()
    differs_in_files: ClassVar[bool] = False

    def __init__(self, context: ProviderContext[P]) -> None:
        self.begin(context)

    def begin(self, context: ProviderContext[P]) -> None:
        """Serve other resources of the run, or the next step of a watching, in this context.

        Where `close` is overridden it is called again and again. Drop what was read before: it is outdated.
        """
        self.context = context
        self.machine = context.machine
        self.user_log = context.user_log
        self.siblings = context.siblings

    def close(self) -> None:
        """Release what the instance keeps, such as a connection: the run, or the watching, is over."""

    def watch(self, properties: P) -> EventSource | None:
        """Open a source of events of a resource, in `ccm watch` before its state is read; None for none."""
        return None

    def received(self, properties: P) -> Mapping[str, bool]:
        """Return the properties whose values other resources sent, each with whether its value is another one.

        It is compared with the value of the last time that this run, or this watching, brought the resource to its
        state; the first value is another one.
        """
        values = self.context.received.get(properties.name, {})
        return {name: before != now for name, (before, now) in values.items()}

    @classmethod
    def manageable(cls, facts: Callable[[], Facts], properties: P) -> int | str:
        """Return the priority of this provider for a resource (the lowest wins), or why it cannot manage it."""
        return 1

    @abstractmethod
    def status(self, properties: P) -> S:
        """Return the state of the host. Raises ResourceFailed when it cannot be known."""

    def status_after(self, properties: P, before: S) -> S:
        """Return the state after the verbs; `before` is the state that they were called with."""
        return self.status(properties)

    def act(self, verb: str, properties: P, before: S) -> None:
        """Call the method of a verb."""
        getattr(self, verb)(properties, before)

    def require_possible(self, verb: str, properties: P, state: S) -> None:
        """Raise ResourceFailed when this host does not allow a verb in this state, which decisions do not know.

        NotThereYet is for what an earlier resource may change: in noop it is then no failure (decisions.md Q63). It is
        called for all verbs of a decision before the first of them, in noop as well, and changes nothing.
        """

    def drop_unfinished(self, properties: P) -> None:
        """Remove what one verb began for another that was never called."""

    def differences(self, properties: P, state: S) -> list[Difference]:
        """Return what acting will change, as texts before and after; none when nothing changes as text."""
        return []
