# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The state of one rendering: output, variables in scopes, context, blocks."""

from __future__ import annotations

from .errors import JetError
from .values import MISSING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Mapping

    from .compiler import Code
    from .statements import Block
    from .template import Template, TemplateSet

    #: What ``yield content`` runs, given the code of its context or None.
    Content = Callable[["Runtime", "Code | None"], None]

#: How deep blocks and templates may call one another.
MAX_DEPTH = 60


class Scope:
    """Variables, the scope around it, and the blocks that can be yielded here."""

    __slots__ = ("blocks", "parent", "variables")

    def __init__(self, parent: Scope | None, variables: dict[str, Any], blocks: Mapping[str, Block]) -> None:
        self.parent = parent
        self.variables = variables
        self.blocks = blocks


class Runtime:
    """One rendering. Like Jet's, it is left as it is where an error goes through, for ``try`` to go on with."""

    __slots__ = ("content", "context", "depth", "globals", "out", "returned", "scope", "templates")

    def __init__(self, template: Template, variables: dict[str, Any], context: Any) -> None:
        self.templates: TemplateSet = template.templates
        self.globals = self.templates.globals
        self.scope = Scope(None, variables, template.blocks)
        self.context = context
        self.content: Content | None = None
        self.out: list[str] = []
        self.returned: Any = MISSING
        self.depth = 0

    def push(self) -> None:
        """Open a scope."""
        scope = self.scope
        self.scope = Scope(scope, {}, scope.blocks)

    def pop(self) -> None:
        """Leave the innermost scope."""
        parent = self.scope.parent
        if parent is not None:
            self.scope = parent

    def resolve(self, name: str) -> Any:
        """Return a variable or function by its name. Raises KeyError."""
        scope: Scope | None = self.scope
        while scope is not None:
            if name in scope.variables:
                return scope.variables[name]
            scope = scope.parent
        return self.globals[name]

    def set(self, name: str, value: Any) -> None:
        """Give a variable another value in the scope it is of. Raises KeyError."""
        scope: Scope | None = self.scope
        while scope is not None:
            if name in scope.variables:
                scope.variables[name] = value
                return
            scope = scope.parent
        raise KeyError(name)

    def block(self, name: str) -> Block | None:
        """Return the block that a name means here."""
        scope: Scope | None = self.scope
        while scope is not None:
            found = scope.blocks.get(name)
            if found is not None:
                return found
            scope = scope.parent
        return None

    def enter(self) -> None:
        """Count one more block or template running inside the others. Raises JetError."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise TooDeep(f"blocks and templates call one another more than {MAX_DEPTH} levels deep")

    def run(self, template: Template, context: Code | None) -> Any:
        """Run another template in a scope of its own, with this context or the one there is; return what it returns."""
        self.enter()
        self.push()
        previous = self.context
        try:
            self.scope.blocks = template.blocks
            if context is not None:
                self.context = context(self)
            return template.root()(self)
        finally:
            self.context = previous
            self.pop()
            self.depth -= 1


class TooDeep(JetError):
    """Blocks or templates without end; ``try`` does not catch it."""
