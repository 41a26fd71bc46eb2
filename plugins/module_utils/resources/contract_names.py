# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The names under which types of other packages import the contract: each means the running package (Q106).

A package of types imports `ccm.api`, a collection `ansible_collections.ccm.core.plugins.module_utils.api`. Classes of
two copies would not recognise each other's errors, decisions and identities, and two copies can be of two releases.
"""

from __future__ import annotations

import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Sequence

#: The names of the package: as pip installs it, and in the collection.
NAMES = ("ccm", "ansible_collections.ccm.core.plugins.module_utils")
_RUNNING = __name__.rpartition(".resources.")[0]


def share_names() -> None:
    """Let both names mean the running package, in this process from now on.

    Modules of another copy that something imported before stay in use where they were imported.
    """
    for name in NAMES:
        if name != _RUNNING and not any(isinstance(each, _OtherName) and each.name == name for each in sys.meta_path):
            for module in [each for each in sys.modules if _is_below(each, name)]:
                del sys.modules[module]
            sys.meta_path.insert(0, _OtherName(name))


def imported_again(module: str) -> ModuleType:
    """Import a module that was imported with another copy of the contract again, and with it its whole package."""
    words = module.split(".")
    package = ".".join(words[: 3 if words[0] == "ansible_collections" else 1])
    for name in [each for each in sys.modules if _is_below(each, package)]:
        del sys.modules[name]
    found: ModuleType = __import__(module, fromlist=["*"])
    return found


class _OtherName(MetaPathFinder, Loader):
    """Finds the modules of the running package under another name of it, as importlib.abc describes it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module of the package, and of a package above it that does not exist."""
        if _is_below(fullname, self.name):
            return ModuleSpec(fullname, self, is_package=True)
        if not _is_below(self.name, fullname):
            return None
        for finder in sys.meta_path:
            # Python 3.8 has finders of an older kind too, which it asks otherwise.
            find = None if finder is self else getattr(finder, "find_spec", None)
            found: ModuleSpec | None = find(fullname, path, target) if find else None
            if found is not None:
                return found
        return ModuleSpec(fullname, None, is_package=True)

    def create_module(self, spec: ModuleSpec) -> None:
        """Let the import system make an empty module, which the module of the running package replaces."""

    def exec_module(self, module: ModuleType) -> None:
        """Put the module of the running package in the place of an empty one."""
        name = module.__name__
        sys.modules[name] = __import__(_RUNNING + name[len(self.name) :], fromlist=["*"])


def _is_below(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")
