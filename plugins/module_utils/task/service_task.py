# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What only a play can mean of a service: that it is refreshed."""

from __future__ import annotations

from .argument_spec import argument_spec
from .hidden_options import given_options
from .resource_task import Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..model.resource import ResourceType


def service_argument_spec(type: ResourceType) -> dict[str, Any]:
    """The argument_spec of the module."""
    return argument_spec(type, {"refresh": {"type": "bool", "default": False}})


def run_service(module: Any, type: ResourceType) -> None:
    """Manage the service that the arguments of `module` declare; ends in its exit_json or fail_json."""
    Task(module).manage(type, given_options(module), module.params["refresh"])
