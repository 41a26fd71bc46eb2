# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The options of the module apply, and what its action plugin passes in place of a manifest."""

from __future__ import annotations

from .decrypt_option import DECRYPT_OPTION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .ansible_module import ArgumentSpec

APPLY_OPTIONS: ArgumentSpec = {
    "path": {"type": "str"},
    "manifest": {"type": "dict", "no_log": True},
    "remote_src": {"type": "bool", "default": False},
    "data": {"type": "dict"},
    "facts": {"type": "dict"},
    "hiera": {"type": "str"},
    "types": {"type": "list", "elements": "str"},
    "fail_on_error": {"type": "bool"},
    "parallel": {"type": "str"},
    "events": {"type": "bool", "default": False},
    "state": {"type": "bool", "default": True},
    "state_directory": {"type": "path"},
    "register": {"type": "bool", "default": False},
    "context": {"type": "str"},
    "registration": {"type": "str", "default": "REGISTRATION"},
    **DECRYPT_OPTION,
}
#: The rules over several options, which the action plugin checks.
APPLY_RULES: dict[str, Any] = {
    "mutually_exclusive": [("path", "manifest")],
    "required_one_of": [("path", "manifest")],
}
#: In place of a manifest the module gets all that was read on the controller as one text, and the path on the node of a
#: tree that was transferred. The option is no_log, so neither data nor manifest is shown or logged.
PACKED = "packed"
STAGED_TREE = "staged_tree"
#: In its place it gets a task of one resource whose health checks have rules of goss: see single_resource.py.
RESOURCE = "resource"
#: In its place it gets paths of files, and returns their checksums: see unchanged_sources.py.
CHECKSUMS = "checksums"
#: Beside one of them it gets the request to return which modules it imported: see sent_package.py.
IMPORTS = "imports"
