# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The function ``dump``: variables and blocks as Go syntax."""

from __future__ import annotations

from ..gofmt import float_text, quote
from .errors import JetError
from .values import check_weight, entries, kind_of, text_of, type_of, unboxed

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
        lines.append(f"\t{name}:={go_syntax(value)} // {type_of(value)}\n")
    except KeyError:
        pass
    block = runtime.scope.blocks.get(name)
    if block is not None:
        lines.append(_block(block))
    return lines


def _everything(runtime: Runtime, depth: int) -> str:
    context = runtime.context
    lines = [f"Context:\n\t{type_of(context)} {go_syntax(context)}\n"]
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


def _block(block: Block) -> str:
    source = block.source
    parameters = ",".join(name if value is None else f"{name}={value}" for name, value in source.parameters)
    return f"\tblock {source.name}({parameters}), from {source.template}\n"


def go_syntax(value: Any, depth: int = 0) -> str:
    """Return a value as Go's ``%#v`` writes it. Raises JetError for what is nested too deeply."""
    if not depth:
        check_weight(value)
    if depth > _MAX_DEPTH:
        raise JetError("value is nested too deeply to be shown")
    value = unboxed(value)
    if value is None:
        return "interface {}(nil)"
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, float):
        return float_text(value)
    kind = kind_of(value)
    if kind == "map":
        inside = ", ".join(f"{go_syntax(key)}:{go_syntax(entry, depth + 1)}" for key, entry in entries(value))
        return f"{type_of(value)}{{{inside}}}"
    if kind == "slice" and not isinstance(value, bytes):
        return f"{type_of(value)}{{{', '.join(go_syntax(entry, depth + 1) for entry in value)}}}"
    return text_of(value)
