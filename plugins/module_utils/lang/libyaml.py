# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""PyYAML's binding of libyaml without the rest of PyYAML.

`import yaml` costs 14 to 19 ms, a third of a run, for a scanner, a parser and resolvers in Python that a manifest never
meets; the binding itself, with the nodes, events and tokens it makes, costs one. The binding wants a module `yaml` with
classes for its errors while it is imported; a substitute has them.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_REAL = ("error", "tokens", "events", "nodes")
_ERRORS = (
    "scanner.ScannerError",
    "parser.ParserError",
    "composer.ComposerError",
    "constructor.ConstructorError",
    "emitter.EmitterError",
    "serializer.SerializerError",
    "representer.RepresenterError",
)


def binding() -> Any:
    """Return the module `yaml._yaml`, or None where it cannot be had this way: then import PyYAML as a whole.

    `yaml` itself is not left in `sys.modules`: a later `import yaml` finds PyYAML, and what was loaded here with it.
    """
    if "yaml" in sys.modules:
        return None
    if "yaml._yaml" in sys.modules:
        return sys.modules["yaml._yaml"]
    directory = next((path for path in map(_package, sys.path) if os.path.isfile(f"{path}/__init__.py")), "")
    if not directory:
        return None
    stand_in: Any = type(sys)("yaml")
    stand_in.__path__ = [directory]
    sys.modules["yaml"] = stand_in
    try:
        for name in _REAL:
            __import__(f"yaml.{name}")
        for name in _ERRORS:
            module, error = name.split(".")
            holder: Any = type(sys)(module)
            setattr(holder, error, type(error, (stand_in.error.MarkedYAMLError,), {}))
            setattr(stand_in, module, holder)
        stand_in.reader = type(sys)("reader")
        stand_in.reader.ReaderError = _reader_error(stand_in.error.YAMLError)
        __import__("yaml._yaml")
        return sys.modules["yaml._yaml"]
    except (ImportError, AttributeError):
        for name in [name for name in sys.modules if name.startswith("yaml.")]:
            del sys.modules[name]
        return None
    finally:
        del sys.modules["yaml"]


def _reader_error(base: Any) -> Any:
    """Return the error for text that is none, as PyYAML has it: with a character instead of marks."""

    # PyYAML, and so its class, is known only when a document is read.
    class ReaderError(base):
        def __init__(self, name: str, position: int, character: int, encoding: str, reason: str) -> None:
            super().__init__(reason)
            self.name = name
            self.position = position
            self.character = character
            self.encoding = encoding
            self.reason = reason

    return ReaderError


def _package(entry: str) -> str:
    return f"{entry or '.'}/yaml"
