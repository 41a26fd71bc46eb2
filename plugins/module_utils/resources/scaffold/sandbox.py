# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What templates in Jinja2 may do with values: no access to internals of Python, no unlimited results."""

from __future__ import annotations

from copy import copy

from ...host.facts.system import Facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Tuple

    from jinja2.runtime import Context
    from jinja2.sandbox import SandboxedEnvironment

    #: Lists and maps, and their copies, by the identity of the first.
    Copies = Dict[int, Tuple[Any, Any]]

#: The most characters or entries of a repeated text or list, and the most bits of a power of integers.
LARGEST_RESULT = 100_000_000
#: The methods of lists, maps and sets that change nothing.
_READING = frozenset(
    (
        *("copy", "count", "fromkeys", "get", "index", "items", "keys", "values"),
        *("difference", "intersection", "isdisjoint", "issubset", "issuperset", "symmetric_difference", "union"),
    )
)


class NeedsCopies(Exception):
    """A template is about to change a list or a map, while it sees the given values themselves."""


def own(value: Any, copies: Copies) -> Any:
    """Return a value in which lists and maps are replaced by copies, the same copy in each place of the same one.

    Facts stay as lazy as they are, and objects of other kinds are the same.
    """
    if value.__class__ is tuple:
        return tuple([own(item, copies) for item in value])
    if not isinstance(value, (dict, list)):
        return value
    known = copies.get(id(value))
    if known is not None:
        return known[1]
    copied = value.mapped(lambda fact: own(fact, copies)) if isinstance(value, Facts) else copy(value)
    # The original is kept, so that its identity stays its own.
    copies[id(value)] = value, copied
    if isinstance(copied, list):
        copied[:] = [own(item, copies) for item in copied]
    elif not isinstance(copied, Facts):
        for key, item in copied.items():
            copied[key] = own(item, copies)
    return copied


def _sees_copies() -> bool:
    return True


def new_language(left: str, right: str, sees_copies: Callable[[], bool] = _sees_copies) -> SandboxedEnvironment:
    """Return a sandboxed environment of Jinja2, which must be installed.

    Empty delimiters of expressions are the default ones.

    An undefined value is an error, nothing is escaped and last newlines are kept. A template that is about to change a
    list or a map raises NeedsCopies, unless `sees_copies()` says that it sees only copies (decisions.md Q82).
    """
    from jinja2 import StrictUndefined, sandbox

    class Sandbox(sandbox.SandboxedEnvironment):
        """Notices changes of values by templates, and refuses large products and powers before they are computed."""

        intercepted_binops = frozenset(("*", "**"))

        def is_safe_attribute(self, obj: object, attr: str, value: object) -> bool:
            if not super().is_safe_attribute(obj, attr, value):
                return False
            if isinstance(value, (dict, list)) and not obj.__class__.__module__.startswith("jinja2."):
                # No entry of a map, but a part of an object of Python, of which there is no copy.
                return False
            if attr not in _READING and isinstance(obj, (dict, list, set, type)) and not sees_copies():
                raise NeedsCopies
            return True

        def call_binop(self, context: Context, operator: str, left: object, right: object) -> object:
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


def _require_small_product(left: object, right: object) -> None:
    for repeated, times in ((left, right), (right, left)):
        if isinstance(repeated, (str, bytes, list, tuple)) and isinstance(times, int):
            _require(len(repeated) * times)


def _require_small_power(base: object, exponent: object) -> None:
    if isinstance(base, int) and isinstance(exponent, int):
        _require(base.bit_length() * exponent)


def _require(size: int) -> None:
    if size > LARGEST_RESULT:
        raise ValueError(f"the result would be larger than {LARGEST_RESULT} characters, entries or bits")
