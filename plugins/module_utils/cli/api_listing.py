# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The names of `ccm.api` with their signatures, as `ccm types --api` prints them, read from the sources."""

from __future__ import annotations

import ast
import sys
from textwrap import wrap

from .. import api

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator, Union

    Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]

_WIDTH = 116
_INDENT = "    "


def api_listing() -> str:
    """Return a line for each public name, and for the public attributes and methods of each class.

    Below a class or a function is its description.
    """
    return "\n".join(line for name in sorted(api.__all__, key=str.lower) for line in _Listed(name).lines()) + "\n"


class _Listed:
    """A public name, with the source of the module that defines it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._value = getattr(api, name)
        module = sys.modules[getattr(self._value, "__module__", "") or api.__name__]
        self._globals = vars(module)
        with open(str(module.__file__), encoding="utf-8") as file:
            self._source = file.read()

    def lines(self) -> Iterator[str]:
        """Yield the lines of the name."""
        for node in ast.parse(self._source).body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name == self._name:
                yield from self._class(node) if isinstance(node, ast.ClassDef) else self._function(node, "")
                return
        default = f" = {self._value}" if isinstance(self._value, int) else ""
        yield f"{self._name}: {type(self._value).__name__}{default}"

    def _class(self, node: ast.ClassDef) -> Iterator[str]:
        bases = [self._text(base) for base in node.bases]
        yield f"class {node.name}({', '.join(bases)}):" if bases else f"class {node.name}:"
        yield from _described(node, _INDENT)
        for each in node.body:
            if isinstance(each, ast.FunctionDef) and (each.name == "__init__" or not each.name.startswith("_")):
                yield from self._function(each, _INDENT)
                yield from self._set_in(each) if each.name == "__init__" else ()
            elif isinstance(each, ast.AnnAssign):
                yield from self._attribute(each.target, f": {self._text(each.annotation)}", each.value)
            elif isinstance(each, ast.Assign):
                yield from self._attribute(each.targets[0], "", each.value)

    def _attribute(self, target: ast.expr, kind: str, value: ast.expr | None) -> Iterator[str]:
        if isinstance(target, ast.Name) and not target.id.startswith("_"):
            default = "" if value is None else f" = {self._value_text(value)}"
            yield f"{_INDENT}{target.id}{kind}{default}"

    def _set_in(self, node: Function) -> Iterator[str]:
        """Yield the public attributes that a method sets."""
        kinds = {arg.arg: arg.annotation for arg in (*node.args.args, *node.args.kwonlyargs)}
        for each in node.body:
            if not isinstance(each, (ast.Assign, ast.AnnAssign)):
                continue
            target = each.target if isinstance(each, ast.AnnAssign) else each.targets[0]
            if isinstance(target, ast.Attribute) and not target.attr.startswith("_"):
                kind = each.annotation if isinstance(each, ast.AnnAssign) else None
                if kind is None and isinstance(each.value, ast.Name):
                    kind = kinds.get(each.value.id)
                yield f"{_INDENT}{target.attr}" + (f": {self._text(kind)}" if kind else "")

    def _function(self, node: Function, indent: str) -> Iterator[str]:
        decorators = [self._text(each) for each in node.decorator_list]
        returns = f" -> {self._text(node.returns)}" if node.returns else ""
        if "property" in decorators:
            line = f"{node.name}{returns.replace(' ->', ':')}"
        else:
            lead = "@classmethod " if "classmethod" in decorators else ""
            line = f"{lead}def {node.name}({', '.join(self._parameters(node.args))}){returns}"
        if not any(each.endswith(".setter") for each in decorators):
            yield from wrap(line, _WIDTH, initial_indent=indent, subsequent_indent=indent + 2 * _INDENT)
            yield from _described(node, indent + _INDENT)

    def _parameters(self, given: ast.arguments) -> Iterator[str]:
        without = len(given.args) - len(given.defaults)
        for at, arg in enumerate(given.args):
            given_default = f" = {self._value_text(given.defaults[at - without])}" if at >= without else ""
            yield self._parameter(arg) + given_default
        if given.vararg:
            yield f"*{self._parameter(given.vararg)}"
        elif given.kwonlyargs:
            yield "*"
        for arg, default in zip(given.kwonlyargs, given.kw_defaults):
            yield self._parameter(arg) + (f" = {self._value_text(default)}" if default else "")
        if given.kwarg:
            yield f"**{self._parameter(given.kwarg)}"

    def _parameter(self, arg: ast.arg) -> str:
        # In Python 3.8 the place of an argument behind `*` may end before its annotation.
        return arg.arg + (f": {self._text(arg.annotation)}" if arg.annotation else "")

    def _value_text(self, node: ast.expr) -> str:
        """Return a default as text; for a constant, its value."""
        if isinstance(node, ast.Name) and isinstance(self._globals.get(node.id), (str, int, float)):
            return repr(self._globals[node.id])
        return self._text(node)

    def _text(self, node: ast.AST) -> str:
        return " ".join((ast.get_source_segment(self._source, node) or "").split())


def _described(node: ast.ClassDef | Function, indent: str) -> Iterator[str]:
    """Yield a description as comments."""
    text = " ".join((ast.get_docstring(node) or "").split())
    if text:
        yield from wrap(text, _WIDTH, initial_indent=f"{indent}# ", subsequent_indent=f"{indent}# ")
