# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What templates in Jinja2 may do with values: no access to internals of Python, no unlimited results."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jinja2.runtime import Context
    from jinja2.sandbox import SandboxedEnvironment

#: The most characters or entries of a repeated text or list, and the most bits of a power of integers.
LARGEST_RESULT = 100_000_000
_CHANGING = ("clear", "pop", "popitem")


def new_language(left: str, right: str) -> SandboxedEnvironment:
    """Return a sandboxed environment of Jinja2, which must be installed.

    Empty delimiters of expressions are the default ones.

    An undefined value is an error, nothing is escaped and last newlines are kept. No value that a template sees can be
    changed (decisions.md Q82).
    """
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Sandbox(ImmutableSandboxedEnvironment):
        """Prevents changes of values by templates, and refuses large products and powers before they are computed."""

        intercepted_binops = frozenset(("*", "**"))

        def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
            # Jinja2 before 3.1 takes some of these for harmless.
            if attr in _CHANGING and isinstance(obj, (list, dict, set)):
                return False
            return super().is_safe_attribute(obj, attr, value)

        def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
            (_require_small_power if operator == "**" else _require_small_product)(left, right)
            return super().call_binop(context, operator, left, right)

    return Sandbox(
        variable_start_string=left or "{{",
        variable_end_string=right or "}}",
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


def _require_small_product(left: Any, right: Any) -> None:
    for repeated, times in ((left, right), (right, left)):
        if isinstance(repeated, (str, bytes, list, tuple)) and isinstance(times, int):
            _require(len(repeated) * times)


def _require_small_power(base: Any, exponent: Any) -> None:
    if isinstance(base, int) and isinstance(exponent, int):
        _require(base.bit_length() * exponent)


def _require(size: int) -> None:
    if size > LARGEST_RESULT:
        raise ValueError(f"the result would be larger than {LARGEST_RESULT} characters, entries or bits")
