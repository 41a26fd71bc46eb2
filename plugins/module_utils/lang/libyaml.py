# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""PyYAML's binding of libyaml without the rest of PyYAML.

`import yaml` costs 14 to 19 ms, a third of a run, for a scanner, a parser and resolvers in Python that a manifest never
meets; the binding itself costs one. While it is imported it takes 50 classes of tokens, events, nodes and errors from
the module `yaml`. A substitute has what it uses when it reads a document: nodes and one error. It gets PyYAML's own
classes before anything else uses it.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

_NAME = "yaml._yaml"
_WITH_ERRORS = ("reader", "scanner", "parser", "composer", "constructor", "emitter", "serializer", "representer")
_KINDS = ("Token", "Event", "Node", "Error")


class Refusal(Exception):
    """What libyaml says of a text, with the attributes of PyYAML's errors."""

    def __init__(
        self, context: Any = None, context_mark: Any = None, problem: Any = None, problem_mark: Any = None
    ) -> None:
        super().__init__(problem or context)
        self.context = context
        self.context_mark = context_mark
        self.problem = problem
        self.problem_mark = problem_mark


class ScalarNode:
    """A text of a document, as PyYAML has it."""

    id = "scalar"

    def __init__(self, tag: Any, value: Any, start_mark: Any, end_mark: Any, style: Any) -> None:
        self.tag = tag
        self.value = value
        self.start_mark = start_mark
        self.end_mark = end_mark
        self.style = style


class SequenceNode:
    """A list of a document, as PyYAML has it."""

    id = "sequence"

    def __init__(self, tag: Any, value: Any, start_mark: Any, end_mark: Any, flow_style: Any) -> None:
        self.tag = tag
        self.value = value
        self.start_mark = start_mark
        self.end_mark = end_mark
        self.flow_style = flow_style


class MappingNode(SequenceNode):
    """A mapping of a document, as PyYAML has it."""

    id = "mapping"


def binding() -> Any:
    """Return the module `yaml._yaml`, or None where it cannot be had this way: then import PyYAML as a whole.

    `yaml` itself is not left in `sys.modules`: a later `import yaml` finds PyYAML, and the binding gets its classes.
    """
    if "yaml" in sys.modules:
        return None
    if _NAME in sys.modules:
        found: Any = sys.modules[_NAME]
        return vars(found).get("__wrapped__", found)
    directory = next((path for path in map(_package, sys.path) if os.path.isfile(f"{path}/__init__.py")), "")
    try:
        found = _imported(_NAME, directory) if directory else None
    except (ImportError, AttributeError):
        return None
    if found is not None:
        sys.modules[_NAME] = _offered(found)
    return found


def refusals() -> tuple[type[BaseException], ...]:
    """Return the classes of errors for texts that are no YAML: ours and, where it is imported, PyYAML's."""
    error = sys.modules.get("yaml.error")
    return (Refusal,) if error is None else (Refusal, error.YAMLError)


def with_events(found: Any) -> Any:
    """Return the binding once it has PyYAML's classes of events, of which it writes YAML."""
    if found.ScalarEvent is None:
        _give(found, _imported("yaml.events", os.path.dirname(found.__file__)))
        # A later `import yaml` has its own.
        del sys.modules["yaml.events"]
    return found


def _package(entry: str) -> str:
    return f"{entry or '.'}/yaml"


def _imported(name: str, directory: str) -> Any:
    """Return a module of PyYAML that finds the substitute where it imports `yaml`."""
    classes = _module("classes", _substitute)
    package = _module("yaml", lambda _name: classes)
    package.__path__ = [directory]
    sys.modules["yaml"] = package
    try:
        __import__(name)
        return sys.modules[name]
    finally:
        del sys.modules["yaml"]


def _module(name: str, attribute: Callable[[str], Any]) -> Any:
    """Return a module that has attributes when they are asked for."""
    module: Any = type(sys)(name)
    module.__getattr__ = attribute
    return module


def _substitute(name: str) -> Any:
    """Return what the binding gets for a class of PyYAML. Raises AttributeError for others than it is known to want."""
    if name == "ReaderError":
        return _unreadable
    if name.endswith("Error"):
        return Refusal
    if name.endswith("Node"):
        return globals()[name]
    if name.endswith(("Token", "Event")):
        return None
    raise AttributeError(name)


def _unreadable(name: Any, position: Any, character: Any, encoding: Any, reason: Any) -> Refusal:
    """Return the error for a text with a character that YAML does not allow."""
    return Refusal(reason)


def _offered(found: Any) -> Any:
    """Return the module that PyYAML imports as its binding: with the first attribute, it becomes the binding itself."""

    def attribute(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        for part in ("error", "tokens", "events", "nodes", *_WITH_ERRORS):
            _give(found, sys.modules.get(f"yaml.{part}"))
        sys.modules[_NAME] = found
        return getattr(found, name)

    offered = _module(_NAME, attribute)
    offered.__wrapped__ = found
    return offered


def _give(found: Any, module: Any) -> None:
    """Give the binding the classes of a module of PyYAML, None for a module that this PyYAML does not have."""
    for name, value in vars(module).items() if module is not None else ():
        if name.endswith(_KINDS) and hasattr(found, name):
            setattr(found, name, value)
