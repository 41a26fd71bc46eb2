# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Options of a scaffold that only a play has: templates on the controller, and the facts of the node."""

from __future__ import annotations

from ..data.environment import Environment, read_environ
from ..data.factfiles import gather
from ..engine.run import run_one
from ..host.trees import remove_tree
from ..lang.go.quoting import quote
from ..model.errors import InvalidResource
from ..resources.download_properties import is_address
from ..resources.scaffold.type import ScaffoldProperties
from .argument_spec import STAGED_SOURCE, argument_spec, given_options
from .decrypt_option import DECRYPT_OPTION
from .download_options import DOWNLOAD_OPTIONS, download_options
from .fact_warnings import FactsLog
from .resource_task import Task
from .tree import unpacked_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.event import Event
    from ..model.health_check import RunCheck
    from ..model.resource import Resource, ResourceType
    from .ansible_module import AnsibleModule, ArgumentSpec, TaskResult

#: The options that are no properties of the type.
SCAFFOLD_OPTIONS: ArgumentSpec = {
    "remote_src": {"type": "bool", "default": False},
    "validate": {"type": "str"},
    **DECRYPT_OPTION,
    **DOWNLOAD_OPTIONS,
}


def scaffold_argument_spec(type: ResourceType) -> ArgumentSpec:
    """Return the argument_spec of the module; the source is always needed."""
    spec = argument_spec(type, SCAFFOLD_OPTIONS)
    spec["source"]["required"] = True
    return spec


def check_post(post: list[dict[str, str]] | None) -> None:
    """Refuse commands that are no text. Raises InvalidResource."""
    for entry in post or ():
        for pattern, command in entry.items():
            if not isinstance(command, str):
                raise InvalidResource(
                    f"post value for key {quote(str(pattern))} must be a command, quote it",
                    property="post",
                    value=command,
                )


def run_scaffold(module: AnsibleModule, type: ResourceType, run_check: RunCheck | None = None) -> None:
    """Render the scaffold that the arguments of `module` declare; ends in its exit_json or fail_json."""
    _ScaffoldTask(module, run_check).manage(type, given_options(module))


class _ScaffoldTask(Task):
    """Renders what was transferred in place of the source, from a directory that exists only during the task."""

    def __init__(self, module: AnsibleModule, run_check: RunCheck | None) -> None:
        super().__init__(module, run_check)
        self._of_facts = FactsLog()

    def options(self) -> dict[str, int]:
        """Return the options of the download."""
        return download_options(self.module.params)

    def result(self, event: Event) -> TaskResult:
        return {**super().result(event), **self._of_facts.part_of_result()}

    def transact(self, resource: Resource, refresh: bool) -> Event:
        properties = resource.properties
        if not isinstance(properties, ScaffoldProperties):
            return super().transact(resource, refresh)
        check_post(properties.post)
        command = self.module.params["validate"]
        if command:
            from ..model.validation_command import check_command

            validation = check_command(command, properties.ensure, "validate")
            resource = resource.with_properties({"validation": validation})
        source, staged = properties.source, self.module.params[STAGED_SOURCE]
        if is_address(source):
            return self._run(resource, "/")
        if not staged:
            return self._run(resource, source)
        directory = unpacked_tree(None, staged, "ccm-scaffold-")
        try:
            event = self._run(resource.with_properties({"source": directory}), directory)
        finally:
            remove_tree(directory)
        if event.resource:
            event.resource = event.resource.with_properties({"source": source})
        return event

    def _run(self, resource: Resource, source: str) -> Event:
        environment = Environment(lambda: gather(None, log=self._of_facts), {}, read_environ(False), source)
        context = self.context(directory=source, environment=environment, options=self.options())
        return run_one(resource, context)
