# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The module of a type that another collection offers: documentation, and one call of `run_type`."""

from __future__ import annotations

import json
import sys

from ..model.errors import InvalidResource
from ..resources.contract_checks import checked
from .argument_spec import argument_spec, new_module
from .calls import end_in_time
from .resource_task import run_resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ..model.contract import AnyType
    from .ansible_module import AnsibleModule


def checked_type(of_type: AnyType) -> AnyType:
    """Return the type of a collection, with its calls checked. Raises InvalidResource for an unusable type."""
    package = f"the collection {'.'.join(type(of_type).__module__.split('.')[1:3])}"
    return checked(of_type, getattr(of_type, "name", ""), package)


def run_type(make_module: Callable[..., AnsibleModule], of_type: AnyType) -> None:
    """Manage the resource that the arguments of the task declare; ends in its exit_json or fail_json.

    `make_module` is the class AnsibleModule of `ansible.module_utils.basic`.
    """
    try:
        found = checked_type(of_type)
        spec = argument_spec(found)
    except InvalidResource as error:
        # Without the options of the type there is no AnsibleModule yet that could fail.
        sys.stdout.write(json.dumps({"failed": True, "msg": error.message}))
        end_in_time(1)
        raise SystemExit(1) from None
    run_resource(new_module(make_module, spec), found)
