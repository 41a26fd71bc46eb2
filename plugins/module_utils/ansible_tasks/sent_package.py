# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The code of this package as one argument of a task, imported from memory.

Ansible finds the code that a module needs by parsing every file that an import statement can reach. For the modules
that can reach all languages and types that takes seconds, so their action plugins send the package themselves.
"""

from __future__ import annotations

import json
import sys
import zlib
from binascii import a2b_base64
from importlib import import_module
from importlib.abc import ExecutionLoader
from importlib.machinery import ModuleSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Sequence

    from .ansible_module import AnsibleModule, ArgumentSpec

#: The option by which an action plugin, and no task, passes the package.
PACKED_PACKAGE = "_package"
PACKAGE_OPTION: ArgumentSpec = {PACKED_PACKAGE: {"type": "str", "no_log": True}}

_ROOT = __name__.rsplit(".", 2)[0]
_PACKAGE_FILE = "__init__.py"


class SentPackage(ExecutionLoader):
    """Finds and loads the modules of this package, within `with`.

    `packed` is base64 of zlib of a line of JSON, which gives the place of each source by its path below the package,
    and of the sources.
    """

    def __init__(self, packed: str) -> None:
        index, _newline, self._sources = zlib.decompress(a2b_base64(packed)).partition(b"\n")
        self._places: dict[str, list[int]] = json.loads(index)

    def __enter__(self) -> SentPackage:
        sys.meta_path.insert(0, self)
        return self

    def __exit__(self, *_: object) -> None:
        sys.meta_path.remove(self)

    def call(self, module: str, function: str, *arguments: Any) -> None:
        """Call a function of a module, which is named relative to the package."""
        vars(import_module(f"{_ROOT}.{module}"))[function](*arguments)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module that was sent, else None, as importlib.abc.MetaPathFinder describes it."""
        if not fullname.startswith(_ROOT + ".") or self._path(fullname) not in self._places:
            return None
        return ModuleSpec(fullname, self, origin=self.get_filename(fullname), is_package=self.is_package(fullname))

    def is_package(self, fullname: str) -> bool:
        """Return whether a module is a package."""
        return self._path(fullname).endswith(_PACKAGE_FILE)

    def get_filename(self, fullname: str) -> str:
        """Return the path of a module's source below the package."""
        return self._path(fullname)

    def get_source(self, fullname: str) -> str:
        """Return the source of a module."""
        begin, end = self._places[self._path(fullname)]
        return self._sources[begin:end].decode("utf-8")

    def _path(self, fullname: str) -> str:
        stem = fullname[len(_ROOT) + 1 :].replace(".", "/")
        package = f"{stem}/{_PACKAGE_FILE}"
        return package if package in self._places else f"{stem}.py"


def call_in_package(module: AnsibleModule, name: str, function: str) -> None:
    """Call a function of the package that the arguments of `module` hold, with `module`.

    The function ends in its exit_json or fail_json.
    """
    with SentPackage(module.params[PACKED_PACKAGE]) as package:
        package.call(name, function, module)
