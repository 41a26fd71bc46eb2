# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The task that returns the state of a resource."""

from __future__ import annotations

from ..data.factfiles import gather
from ..engine.context import Context
from ..engine.prerequisites import require_known_provider
from ..engine.provider_selection import choose_provider
from ..model.errors import InvalidResource, NotThereYet
from ..model.resource import resource_of
from ..resources.file.type import ABSENT
from ..resources.file.type import TYPE as FILE
from ..resources.group.type import TYPE as GROUP
from ..resources.package.type import PRESENT as INSTALLED
from ..resources.package.type import TYPE as PACKAGE
from ..resources.service.type import TYPE as SERVICE
from ..resources.user.type import TYPE as USER
from .info_task import run_info

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.contract import AnyType
    from ..model.values import Data
    from .ansible_module import AnsibleModule, ArgumentSpec, Options, TaskResult
    from .result import TaskLog

RESOURCE_OPTIONS: ArgumentSpec = {
    "type": {"type": "str", "required": True},
    "name": {"type": "str", "required": True, "aliases": ["path"]},
    "provider": {"type": "str"},
}
#: The types whose state a name alone determines, each with an `ensure` for which a name alone is valid.
_TYPES: tuple[tuple[AnyType, str], ...] = (
    (FILE, ABSENT),
    (PACKAGE, INSTALLED),
    (SERVICE, SERVICE.default_ensure),
    (GROUP, GROUP.default_ensure),
    (USER, USER.default_ensure),
)


def run_resource_info(module: AnsibleModule) -> None:
    """Return the state of the resource that the arguments name; ends in exit_json or fail_json of `module`."""
    run_info(module, lambda log, of_facts: _state(module.params, log, of_facts))


def _state(given_options: Options, log: TaskLog, of_facts: TaskLog) -> TaskResult:
    """Return `ensure` and the `state` of a resource, as `ccm status` shows it; a service that does not exist is absent.

    Raises InvalidResource for a type without a state, a wrong name and an unknown provider, ResourceFailed and
    HostError when the state cannot be read.
    """
    type, ensure = _type_of(given_options["type"])
    given: Data = {"name": given_options["name"], "ensure": ensure}
    if given_options["provider"]:
        given["provider"] = given_options["provider"]
    resource = resource_of(type, given)
    type.validate(resource.properties)
    require_known_provider(resource)
    context = Context(noop=True, user_log=log, facts=lambda: gather(None, log=of_facts))
    try:
        found = choose_provider(resource, context).status(resource.properties)
    except NotThereYet as error:
        return {"ensure": ABSENT, "state": dict(error.expected.metadata) if error.expected else {}}
    finally:
        context.close()
    return {"ensure": found.ensure, "state": dict(found.metadata)}


def _type_of(name: str) -> tuple[AnyType, str]:
    for type, ensure in _TYPES:
        if type.name == name:
            return type, ensure
    known = ", ".join(type.name for type, _ensure in _TYPES)
    raise InvalidResource(
        f'type "{name}" has no state that a name alone determines', advice=f"the types that have one are {known}"
    )
