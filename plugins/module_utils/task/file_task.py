# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What only a play can mean of a file: content that the controller has, looked up or rendered there."""

from __future__ import annotations

from .argument_spec import argument_spec
from .resource_task import run_resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..model.resource import ResourceType

#: The options that are no properties of the type.
FILE_OPTIONS: dict[str, dict[str, Any]] = {
    "template": {"type": "str"},
    "remote_src": {"type": "bool", "default": False},
}


def file_argument_spec(type: ResourceType) -> dict[str, Any]:
    """The argument_spec of the module."""
    return argument_spec(type, FILE_OPTIONS)


def run_file(module: Any, type: ResourceType) -> None:
    """Manage the file that the arguments of `module` declare; ends in its exit_json or fail_json."""
    given = dict(module.params)
    stand_ins: dict[str, Any] = {}
    if given["source"]:
        from .staging import stand_ins_for

        stand_ins = stand_ins_for(given)
    run_resource(module, type, given, stand_ins=stand_ins)
