# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What only a play can mean of an archive: how much patience its download deserves."""

from __future__ import annotations

from ..engine.context import Context
from ..engine.transaction import run_transaction
from .argument_spec import argument_spec
from .resource_task import Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..model.event import Event
    from ..model.resource import Decision, Resource, ResourceType
    from ..model.state import State

#: The options that are no properties of the type.
ARCHIVE_OPTIONS: dict[str, dict[str, Any]] = {
    "download_timeout": {"type": "str"},
    "download_tries": {"type": "int"},
}


def archive_argument_spec(type: ResourceType) -> dict[str, Any]:
    """The argument_spec of the module."""
    return argument_spec(type, ARCHIVE_OPTIONS)


def download_patience(params: dict[str, Any]) -> dict[str, int]:
    """What the options say of patience, in ns and tries. Raises InvalidResource."""
    if not params["download_timeout"] and params["download_tries"] is None:
        return {}
    from ..model.patience import patience

    return patience(download_timeout=params["download_timeout"], download_tries=params["download_tries"])


def run_archive(module: Any, type: ResourceType) -> None:
    """Manage the archive that the arguments of `module` declare; ends in its exit_json or fail_json."""
    url = module.params["url"] or ""
    if "@" in url:
        from ..host.http import credentials

        module.no_log_values.update(credentials(url))
    _ArchiveTask(module).manage(type, module.params)


class _ArchiveTask(Task):
    def transact(self, resource: Resource, refresh: bool) -> Event:
        """The event of the archive."""
        context = Context(
            noop=self.module.check_mode,
            user_log=self.log,
            before=self.look,
            patience=download_patience(self.module.params),
        )
        return run_transaction(resource, context, refresh=refresh)

    def look(self, resource: Resource, provider: Any, state: State, decision: Decision) -> None:
        """Note what will be: `Downloaded. Extracted`."""
        super().look(resource, provider, state, decision)
        parts = decision.noop_message.split(". ")
        self._done = ". ".join(part.replace("Would have ", "", 1).capitalize() for part in parts)
