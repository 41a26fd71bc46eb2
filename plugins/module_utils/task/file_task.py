# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What only a play can mean of a file: content that the controller has, looked up or rendered there."""

from __future__ import annotations

from ..model.errors import InvalidResource
from .argument_spec import argument_spec
from .resource_task import run_resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..model.resource import Properties, ResourceType

#: The options that are no properties of the type.
FILE_OPTIONS: dict[str, dict[str, Any]] = {
    "template": {"type": "str"},
    "remote_src": {"type": "bool", "default": False},
}
#: One of these says what a file holds.
CONTENT_OPTIONS = ("content", "source", "template")
#: How the action plugin hands over what it found: text, or the path of a transferred file on the node.
SOURCE_TEXT = "_source_text"
SOURCE_STAGED = "_source_staged"
_HIDDEN: dict[str, dict[str, Any]] = {SOURCE_TEXT: {"type": "str"}, SOURCE_STAGED: {"type": "str"}}


def file_argument_spec(type: ResourceType, hidden: bool = True) -> dict[str, Any]:
    """Keyword arguments for AnsibleModule; without `hidden` for the options that a person may give only."""
    door = {**FILE_OPTIONS, **_HIDDEN} if hidden else FILE_OPTIONS
    return {"argument_spec": argument_spec(type, door), "mutually_exclusive": [CONTENT_OPTIONS]}


def run_file(module: Any, type: ResourceType) -> None:
    """Manage the file that the arguments of `module` declare; ends in its exit_json or fail_json."""
    run_resource(module, type, stand_ins=lambda properties: _worked_with(module.params, properties))


def _worked_with(params: dict[str, Any], properties: Properties) -> dict[str, Any]:
    """The values to work with in place of a source that the controller looked up."""
    if not properties.source:
        return {}
    if params[SOURCE_TEXT] is not None:
        return {"content": params[SOURCE_TEXT], "source": ""}
    if params[SOURCE_STAGED]:
        return {"source": params[SOURCE_STAGED]}
    if params["remote_src"] and not properties.source.startswith("/"):
        raise InvalidResource(
            "source must be an absolute path with remote_src: true", property="source", value=properties.source
        )
    return {}
