# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The function ``dump``: variables and blocks as Go syntax."""

from __future__ import annotations

from ..go.printf import sprintf
from .errors import JetError
from .values import MISSING, check_weight, text_of, type_of, unboxed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .calls import Arguments
    from .runtime import Runtime, Scope
    from .statements import Block

_MAX_DEPTH = 100


def dump(arguments: Arguments) -> str:
    """Return what the arguments ask for: names of variables and blocks, or a depth. Raises JetError."""
    runtime = arguments.runtime
    values = [unboxed(arguments.get(at)) for at in range(len(arguments))]
    if not values:
        return _everything(runtime, 0)
    if len(values) == 1 and isinstance(values[0], float):
        return _everything(runtime, int(min(max(values[0], 0), _MAX_DEPTH)))
    lines: list[str] = []
    for at, name in enumerate(values):
        if not isinstance(name, str):
            raise JetError(f"dump: expected argument {at} to be a string, but got a {type_of(name)}")
        lines += _named(runtime, name)
    return "".join(lines)


def _named(runtime: Runtime, name: str) -> list[str]:
    lines = []
    try:
        value = runtime.context if name == "." else runtime.resolve(name)
        lines.append(f"\t{name}:={go_syntax(value)} // {_type_of(name, value)}\n")
    except KeyError:
        pass
    block = runtime.scope.blocks.get(name)
    if block is not None:
        lines.append(_block(block))
    return lines


def _everything(runtime: Runtime, depth: int) -> str:
    context = runtime.context
    lines = [f"Context:\n\t{_type_of('.', context)} {go_syntax(context)}\n"]
    scope: Scope | None = runtime.scope
    for level in range(depth + 1):
        if scope is None:
            break
        lines.append("Variables in current scope:\n" if not level else f"Variables in scope {level} level(s) up:\n")
        lines += [f"\t{name}={go_syntax(scope.variables[name])}\n" for name in sorted(scope.variables)]
        scope = scope.parent
    lines.append("Blocks:\n")
    blocks = runtime.scope.blocks
    lines += [_block(blocks[name]) for name in sorted(blocks)]
    return "".join(lines)


def _type_of(name: str, value: Any) -> str:
    if value is MISSING:
        raise JetError(f"dump: {name} is not a valid value")
    return type_of(value)


def _block(block: Block) -> str:
    source = block.source
    parameters = ",".join(name if value is None else f"{name}={value}" for name, value in source.parameters)
    return f"\tblock {source.name}({parameters}), from {source.template}\n"


def go_syntax(value: Any) -> str:
    """Return a value as Go's ``%#v`` writes it. Raises JetError for a value that is nested too deeply."""
    check_weight(value)
    value = unboxed(value)
    if value is None:
        return "interface {}(nil)"
    if hasattr(value, "go_text") and not hasattr(value, "go_syntax"):
        return text_of(value)
    try:
        return sprintf("%#v", [value])
    except RecursionError:
        raise JetError("value is nested too deeply to be shown") from None
