# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Options of an archive that only a play has: how long its download may take."""

from __future__ import annotations

from ..resources.archive.type import ArchiveProperties
from .argument_spec import argument_spec, given_options
from .resource_task import Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.event import Event
    from ..model.resource import Resource, ResourceType
    from .ansible_module import AnsibleModule, ArgumentSpec

ARCHIVE_OPTIONS: ArgumentSpec = {
    "download_timeout": {"type": "str"},
    "download_tries": {"type": "int"},
    "download_limit": {"type": "str"},
}


def archive_argument_spec(type: ResourceType) -> ArgumentSpec:
    """Return the argument_spec of the module."""
    return argument_spec(type, ARCHIVE_OPTIONS)


def run_archive(module: AnsibleModule, type: ResourceType) -> None:
    """Manage the archive that the arguments of `module` declare; ends in its exit_json or fail_json."""
    _ArchiveTask(module).manage(type, given_options(module))


class _ArchiveTask(Task):
    def options(self) -> dict[str, int]:
        """Return how long to wait, in ns, and how often to try."""
        params = self.module.params
        given = {name: params[name] for name in ARCHIVE_OPTIONS if params[name] not in (None, "")}
        if not given:
            return given
        from ..model.provider_options import provider_options

        return provider_options(**given)

    def transact(self, resource: Resource, refresh: bool) -> Event:
        """Return the event of the archive."""
        given = resource.properties
        if isinstance(given, ArchiveProperties) and {given.extract_parent[:1], given.creates[:1]} - {"", "/"}:
            from ..engine.prerequisites import require_absolute_paths

            require_absolute_paths(resource)
        return super().transact(resource, refresh)
