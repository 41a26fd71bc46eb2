# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The task of an archive: options for the time, the tries and the size of its download."""

from __future__ import annotations

from ..resources.archive.type import ArchiveProperties
from .argument_spec import argument_spec, given_options
from .download_options import DOWNLOAD_OPTIONS, download_options
from .resource_task import Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.event import Event
    from ..model.health_check import RunCheck
    from ..model.resource import Resource, ResourceType
    from .ansible_module import AnsibleModule, ArgumentSpec


def archive_argument_spec(type: ResourceType) -> ArgumentSpec:
    """Return the argument_spec of the module."""
    return argument_spec(type, DOWNLOAD_OPTIONS)


def run_archive(module: AnsibleModule, type: ResourceType, run_check: RunCheck | None = None) -> None:
    """Manage the archive that the arguments of `module` declare; ends in its exit_json or fail_json."""
    _ArchiveTask(module, run_check).manage(type, given_options(module))


class _ArchiveTask(Task):
    def options(self) -> dict[str, int]:
        """Return the options of the download: time in ns, tries, size in bytes."""
        return download_options(self.module.params)

    def transact(self, resource: Resource, refresh: bool) -> Event:
        """Return the event of the archive."""
        properties = resource.properties
        if not isinstance(properties, ArchiveProperties):
            return super().transact(resource, refresh)
        if {properties.extract_parent[:1], properties.creates[:1]} - {"", "/"}:
            from ..engine.prerequisites import require_absolute_paths

            require_absolute_paths(resource)
        return super().transact(resource, refresh)
