# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A manifest that was read, resolved and validated: what a run works on."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..data.environment import Environment
    from ..model.resource import Resource
    from .engine_settings import EngineSettings


class Manifest:
    """`source` is its name for people, `directory` where it stands, `data` its resolved hierarchy data.

    `environment` is what its expressions see, its resources in the order in which they run. `engine` is what it sets
    for the engine, None when nothing.
    """

    def __init__(
        self,
        *,
        source: str,
        directory: str,
        data: dict[str, Any],
        environment: Environment,
        resources: list[Resource],
        fail_on_error: bool = False,
        pre_message: str = "",
        post_message: str = "",
        engine: EngineSettings | None = None,
    ) -> None:
        self.source = source
        self.directory = directory
        self.data = data
        self.environment = environment
        self.resources = resources
        self.fail_on_error = fail_on_error
        self.pre_message = pre_message
        self.post_message = post_message
        self.engine = engine

    @property
    def is_grouped(self) -> bool:
        """Whether adjacent resources may be brought to their state at once."""
        return not self.fail_on_error and (self.engine is None or self.engine.autogroup)
