# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The code of this package as one argument of a task, imported from memory.

Ansible finds the code that a module needs by parsing every file that an import statement can reach. For the modules
that can reach all languages and types that takes seconds, so their action plugins send the package themselves.
"""

from __future__ import annotations

import json
import marshal
import sys
import zlib
from binascii import a2b_base64
from importlib import import_module
from importlib.abc import ExecutionLoader
from importlib.machinery import ModuleSpec
from importlib.util import MAGIC_NUMBER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, ModuleType
    from typing import Any, Sequence, TypedDict

    from .ansible_module import AnsibleModule, ArgumentSpec

    class ImportedModules(TypedDict):
        """The Python of a node, by the number of its compiled code, and the paths of the modules it imported."""

        python: str
        modules: list[str]


#: The option by which an action plugin, and no task, passes the package.
PACKED_PACKAGE = "_package"
PACKAGE_OPTION: ArgumentSpec = {PACKED_PACKAGE: {"type": "str", "no_log": True}}

#: The key of a result that says only that the package was compiled for another Python than the node's.
OTHER_PYTHON = "other_python"

_ROOT = __name__.rsplit(".", 2)[0]
#: The number by which Python recognizes code that it can run.
PYTHON = MAGIC_NUMBER.hex()
_PACKAGE_FILE = "__init__.py"


class SentPackage(ExecutionLoader):
    """Finds and loads the modules of this package, within `with`.

    `packed` has lines, each with some of the modules (`_Part`). A line is decoded when its modules are needed.
    """

    def __init__(self, packed: str) -> None:
        first, *self._waiting = packed.split("\n")
        self._parts = [_Part(first)]
        self.python = self._parts[0].python
        self.imported: list[str] = []

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
        if not fullname.startswith(_ROOT + ".") or self._found(fullname) is None:
            return None
        self.imported.append(self.get_filename(fullname))
        return ModuleSpec(fullname, self, origin=self.get_filename(fullname), is_package=self.is_package(fullname))

    def is_package(self, fullname: str) -> bool:
        """Return whether a module is a package."""
        return self.get_filename(fullname).endswith(_PACKAGE_FILE)

    def get_filename(self, fullname: str) -> str:
        """Return the path of a module's source below the package. Raises ImportError for a module that was not sent."""
        return self._of(fullname)[1]

    def get_source(self, fullname: str) -> str | None:
        """Return the source of a module, None for a compiled module."""
        part, path = self._of(fullname)
        return None if part.python else part.content(path).decode("utf-8")

    def get_code(self, fullname: str) -> CodeType:
        """Return the code of a module."""
        part, path = self._of(fullname)
        if not part.python:
            return self.source_to_code(part.content(path), path)
        code: CodeType = marshal.loads(part.content(path))
        return code

    def _of(self, fullname: str) -> tuple[_Part, str]:
        found = self._found(fullname)
        if found is None:
            raise ImportError(f"{fullname} was not sent", name=fullname)
        return found

    def _found(self, fullname: str) -> tuple[_Part, str] | None:
        """Return the part that has a module, and the module's path below the package."""
        stem = fullname[len(_ROOT) + 1 :].replace(".", "/")
        paths = (f"{stem}/{_PACKAGE_FILE}", f"{stem}.py")
        at = 0
        while at < len(self._parts) or self._waiting:
            if at == len(self._parts):
                self._parts.append(_Part(self._waiting.pop(0)))
            for path in paths:
                if path in self._parts[at].places:
                    return self._parts[at], path
            at += 1
        return None


class _Part:
    """Some modules: base64 of zlib of a line of JSON and of their contents.

    The line has the `places` of the contents by the modules' paths below the package, and `python`, the number of the
    Python for which they are compiled, "" when they are sources.
    """

    def __init__(self, packed: str) -> None:
        line, _newline, self._contents = zlib.decompress(a2b_base64(packed)).partition(b"\n")
        index = json.loads(line)
        self.places: dict[str, list[int]] = index["places"]
        self.python: str = index["python"]

    def content(self, path: str) -> bytes:
        """Return the content of a module."""
        begin, end = self.places[path]
        return self._contents[begin:end]


def call_in_package(module: AnsibleModule, name: str, function: str) -> None:
    """Call a function of the package that the arguments of `module` hold, with `module`.

    The function ends in its exit_json or fail_json, as this does when the package is for another Python. In a locale
    with another encoding for names than UTF-8 the module runs in another process, see argument_spec.py.
    """
    if sys.getfilesystemencoding() != "utf-8":
        from .other_locale import run_in_utf8

        run_in_utf8(module)
    with SentPackage(module.params[PACKED_PACKAGE]) as package:
        if package.python not in ("", PYTHON):
            module.exit_json(**{OTHER_PYTHON: True})
        package.call(name, function, module)


def imported_modules() -> ImportedModules:
    """Return which modules were imported from memory so far, and by which Python."""
    imported = [path for finder in sys.meta_path if isinstance(finder, SentPackage) for path in finder.imported]
    return {"python": PYTHON, "modules": imported}
