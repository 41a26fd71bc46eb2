# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The task of a type that a play declares as a manifest does."""

from __future__ import annotations

from .hidden_options import given_options
from .resource_task import Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..model.resource import ResourceType


def run_resource(module: Any, type: ResourceType) -> None:
    """Manage the resource that the arguments of `module` declare; ends in its exit_json or fail_json."""
    Task(module).manage(type, given_options(module))
