# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A manifest that was read, resolved and validated, ready to run."""

from __future__ import annotations

from ..lang.paths import base, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ..data.environment import Environment
    from ..engine.notifying import Notifying
    from ..model.resource import Resource
    from ..model.values import Data
    from .engine_settings import EngineSettings
    from .loader import Inputs
    from .ordering import Schedule


class Manifest:
    """`source` is its name for users, `directory` the directory of its file, `data` its resolved hierarchy data.

    `environment` is the environment of its expressions, `resources` are in the order in which they run. `engine` are
    its settings for the engine, None without any. `inputs` are the inputs with which it was resolved. `notifying` says
    which resources others notify, None where no `meta` says anything; `schedule` is for graph order. `declared` are all
    resources in the order of the list, each with its reference as written, or the name of its template. `senders` are
    the literal references of the resources whose values the manifest passes on; it `may_receive` values if an
    expression of it may ask for them. `literal` is its text if it has no expressions, else "". `files` are the paths of
    the other files that it is made from.
    """

    fail_on_error = False
    pre_message = ""
    post_message = ""
    engine: EngineSettings | None = None
    notifying: Notifying | None = None
    schedule: Schedule | None = None
    declared: Sequence[tuple[Resource, str]] = ()
    senders: frozenset[str] = frozenset()
    may_receive = False
    literal = ""
    files: Sequence[str] = ()

    def __init__(
        self,
        *,
        source: str,
        directory: str,
        data: Data,
        environment: Environment,
        resources: list[Resource],
        inputs: Inputs,
    ) -> None:
        self.source = source
        self.directory = directory
        self.data = data
        self.environment = environment
        self.resources = resources
        self.inputs = inputs

    @property
    def path(self) -> str:
        """The file of the manifest, empty without one."""
        return join(self.directory, base(self.source))

    @property
    def read(self) -> frozenset[str]:
        """The names of the resources whose manifests the graph knows."""
        applied = self.schedule.applied if self.schedule else ()
        return frozenset(self.resources[index].properties.name for index in applied)

    @property
    def converged(self) -> int:
        """For how many ns nothing may change until a run of the command ends, 0 for a single run."""
        return self.engine.converged if self.engine else 0

    @property
    def is_grouped(self) -> bool:
        """Whether adjacent resources may be brought to their state at once."""
        is_wanted = self.inputs.autogroup and (self.engine is None or self.engine.autogroup)
        return is_wanted and not self.fail_on_error
