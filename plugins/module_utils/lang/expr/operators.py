# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators on values of any type. Each takes its operands and the offset that an error points to."""

from __future__ import annotations

import operator as operators

from ..go.fmt import sprint
from ..go.regexp.errors import RegexpError
from ..go.values import (
    AnyMap,
    Fault,
    FixedList,
    StringMap,
    Uint8,
    check_weight,
    conversion,
    decoded,
    encoded,
    is_integer,
    is_nil,
    is_number,
    to_int,
    type_name,
    wrapped,
)
from .errors import Failure
from .values import MAX_TEXT, NO_ELEMENT, Whole, WholePointer, grow, kind_name, part_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Sequence

    from ..go.regexp.program import Regexp

_PLAIN = (str, bool, int, float)


def mismatch(operator: str, left: Any, right: Any, at: int) -> Failure:
    """Return the Failure for operands that ``operator`` does not take."""
    return Failure(f"invalid operation: {type_name(left)} {operator} {type_name(right)}", at)


def equal(left: Any, right: Any) -> bool:
    """Compare as ``==`` does: numbers by value, lists element by element, maps exactly, the rest within one type."""
    kind = type(left)
    if kind is type(right) and kind in _PLAIN:
        return bool(left == right)
    if is_number(left) and is_number(right):
        if isinstance(left, float) or isinstance(right, float):
            return float(left) == float(right)
        return int(left) == int(right)
    if isinstance(left, list) and isinstance(right, list):
        if isinstance(left, FixedList) or isinstance(right, FixedList):
            return same(left, right)
        if len(left) != len(right) or (left.__class__ is not right.__class__ and _are_foreign(left, right)):
            return False
        return all(map(equal, left, right))
    if is_nil(left) or is_nil(right):
        return is_nil(left) and is_nil(right)
    return same(left, right)


def _are_foreign(left: list[Any], right: list[Any]) -> bool:
    """Return whether two lists are of different types of which neither takes any value: ``[]int`` and ``[]string``."""
    names = {type_name(left), type_name(right)}
    return len(names) == 2 and "[]interface {}" not in names


def equal_operands(left: Any, right: Any, at: int) -> bool:
    """Compare the operands of ``==``, having made sure that it can be done in reasonable time."""
    if isinstance(left, (list, dict)) and isinstance(right, (list, dict)):
        try:
            check_weight(left)
        except Fault as fault:
            raise Failure(fault.message, at) from None
    return equal(left, right)


def same(left: Any, right: Any) -> bool:
    """Compare deeply and exactly: 1 and 1.0 differ, and so do a map with free keys and one with text keys."""
    if isinstance(left, list):
        return type_name(left) == type_name(right) and len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, Whole):
        return isinstance(left, WholePointer) and isinstance(
            right, WholePointer
        )  # it holds functions: equal to nothing
    if isinstance(left, dict):
        if not isinstance(right, dict) or len(left) != len(right):
            return False
        if any(isinstance(left, special) != isinstance(right, special) for special in (AnyMap, StringMap)):
            return False
        return all(key in right and same(left[key], right[key]) for key in left)
    return type_name(left) == type_name(right) and bool(left == right)


def add(left: Any, right: Any, at: int) -> Any:
    """Sum of numbers, texts, durations, or a time and a duration."""
    if is_number(left) and is_number(right):
        if isinstance(left, float) or isinstance(right, float):
            return float(left) + float(right)
        return wrapped(int(left) + int(right))
    if isinstance(left, str) and isinstance(right, str):
        if len(left) + len(right) > MAX_TEXT:
            raise Failure("memory budget exceeded", at)
        return left + right
    return _dated("+", left, right, at)


def subtract(left: Any, right: Any, at: int) -> Any:
    """Difference of numbers, durations, times, or a time less a duration."""
    if is_number(left) and is_number(right):
        if isinstance(left, float) or isinstance(right, float):
            return float(left) - float(right)
        return wrapped(int(left) - int(right))
    return _dated("-", left, right, at)


def multiply(left: Any, right: Any, at: int) -> Any:
    """Product of numbers; one of them may be a duration."""
    if is_number(left) and is_number(right):
        if isinstance(left, float) or isinstance(right, float):
            return float(left) * float(right)
        return wrapped(int(left) * int(right))
    return _dated("*", left, right, at)


def _dated(operator: str, left: Any, right: Any, at: int) -> Any:
    """Let an operand that is a time or a duration do the operation, if there is one."""
    for operand in (left, right):
        calculate = getattr(operand, "calculate", None)
        if calculate is not None:
            result = calculate(operator, left, right)
            if result is not None:
                return result
    raise mismatch(operator, left, right, at)


def divide(left: Any, right: Any, at: int) -> float:
    """Quotient, always a float; division by zero gives an infinity or NaN."""
    if not is_number(left) or not is_number(right):
        raise mismatch("/", left, right, at)
    dividend, divisor = float(left), float(right)
    if divisor:
        return dividend / divisor
    if dividend > 0 or dividend < 0:
        is_negative_zero = repr(divisor).startswith("-")
        return float("-inf") if (dividend > 0) == is_negative_zero else float("inf")
    return float("nan")


def modulo(left: Any, right: Any, at: int) -> int:
    """Remainder of integers; it has the sign of the dividend."""
    if not is_integer(left) or not is_integer(right):
        raise mismatch(operator="%", left=left, right=right, at=at)
    if right == 0:
        raise Failure("runtime error: integer divide by zero", at)
    rest = abs(int(left)) % abs(int(right))
    return -rest if left < 0 else rest


def power(left: Any, right: Any, at: int) -> float:
    """Return ``left ** right`` as a float; there are no errors but for operands that are no numbers."""
    for operand in (left, right):
        if not is_number(operand):
            raise Failure(f"invalid operation: float({type_name(operand)})", at)
    from .powers import float_power

    return float_power(float(left), float(right))


def negate(value: Any, at: int) -> Any:
    """Return ``-value``."""
    kind = type(value)
    if kind is int:
        return wrapped(-value)
    if not is_number(value):
        raise Failure("invalid operation: - " + type_name(value), at)
    if isinstance(value, float):
        return -float(value)
    return kind(-value & 0xFF if type_name(value) == "uint8" else wrapped(-value))


def ordering(operator: str) -> Callable[[Any, Any, int], bool]:
    """Return the function behind ``<``, ``>``, ``<=`` or ``>=``."""
    names = {"<": operators.lt, ">": operators.gt, "<=": operators.le, ">=": operators.ge}
    compare = names[operator]

    def ordered(left: Any, right: Any, at: int) -> bool:
        if is_number(left) and is_number(right):
            if isinstance(left, float) or isinstance(right, float):
                return bool(compare(float(left), float(right)))
            return bool(compare(int(left), int(right)))
        if isinstance(left, str) and isinstance(right, str):
            return bool(compare(left, right))
        name = type_name(left)
        if name == type_name(right) and getattr(left, "ORDERED", False):
            return bool(compare(left.ns, right.ns))
        raise mismatch(operator, left, right, at)

    return ordered


less = ordering("<")
more = ordering(">")


def span(first: Any, last: Any, frame: list[Any], at: int) -> range:
    """Return the integers of ``first..last``, counted against the budget."""
    try:
        low, high = to_int(first), to_int(last)
    except Fault as fault:
        raise Failure(fault.message, at) from None
    size = wrapped(high - low + 1)
    if size <= 0:
        return range(0)
    grow(frame, size, at)
    return range(low, high + 1)


def in_span(needle: Any, numbers: range) -> bool:
    """Return whether ``needle`` is one of ``numbers``."""
    if is_number(needle):
        return (not isinstance(needle, float) or needle.is_integer()) and int(needle) in numbers
    return any(equal(number, needle) for number in numbers)


def contained(needle: Any, container: Any, at: int) -> bool:
    """Return whether ``needle in container``: an element of a list, a key of a map."""
    if container is None:
        return False
    if isinstance(container, (list, tuple)):
        return any(equal_operands(item, needle, at) for item in container)
    if isinstance(container, dict):
        return _is_key(needle, container, at)
    if isinstance(container, frozenset):
        return _is_member(needle, container, at)
    if isinstance(container, bytes):
        return any(equal(item, needle) for item in container)
    if type_name(container) == "time.Time" and isinstance(needle, str):
        return False
    raise Failure('operator "in" not defined on ' + type_name(container), at)


def _is_key(needle: Any, container: dict[Any, Any], at: int) -> bool:
    if isinstance(needle, str):
        return needle in container
    if isinstance(container, AnyMap):
        try:
            return container.find(needle, container) is not container
        except Fault as fault:
            raise Failure(fault.message, at) from None
    if isinstance(container, Whole):
        raise Failure(f"cannot use {type_name(needle)} as field name of {container.GO_TYPE}", at)
    if needle is None:
        return "" in container
    raise foreign_key(needle, "string", at)


def _is_member(needle: Any, container: frozenset[Any], at: int) -> bool:
    """Look into the set that the optimizer makes of a list of constants of one type."""
    if needle is None:
        return "" in container
    if isinstance(needle, str):
        return needle in container
    raise foreign_key(needle, "string", at)


def foreign_key(key: Any, wanted: str, at: int) -> Failure:
    """Return the Failure for a key of another type than the map has."""
    reason = f"reflect.Value.MapIndex: value of type {type_name(key)} is not assignable to type {wanted}"
    return Failure(reason, at)


def fetch(owner: Any, key: Any, at: int) -> Any:
    """Return ``owner.key`` or ``owner[key]``: nil for a key that a map lacks, else raises Failure."""
    if isinstance(owner, dict):
        return _fetch_key(owner, key, at)
    if isinstance(owner, (list, tuple)):
        if isinstance(key, str) and hasattr(owner, "EXPR_METHODS"):
            from .methods import bound

            method = bound(owner, key)
            if method is not None:
                return method
        return owner[_index(key, len(owner), at)]
    if isinstance(owner, str):
        data = encoded(owner)
        return Uint8(data[_index(key, len(data), at)])
    if isinstance(owner, bytes):
        return Uint8(owner[_index(key, len(owner), at)])
    if isinstance(key, str) and hasattr(owner, "GO_TYPE"):
        from .methods import bound

        method = bound(owner, key)
        if method is not None:
            return method
    raise Failure(f"cannot fetch {sprint(key)} from {type_name(owner)}", at)


def _fetch_key(owner: dict[Any, Any], key: Any, at: int) -> Any:
    if isinstance(owner, AnyMap):
        try:
            return owner.find(key)
        except Fault as fault:
            raise Failure(fault.message, at) from None
    if not isinstance(key, str):
        if isinstance(owner, Whole):
            raise Failure(conversion(key, "string").message, at)
        if key is not None:
            raise foreign_key(key, "string", at)
        key = ""
    try:
        return owner[key]
    except KeyError:
        if isinstance(owner, Whole):
            raise Failure(f"cannot fetch {key} from {owner.SHOWN}", at) from None
        return "" if isinstance(owner, StringMap) else None


def _index(key: Any, length: int, at: int) -> int:
    try:
        index = to_int(key)
    except Fault as fault:
        raise Failure(fault.message, at) from None
    if index < 0:
        index += length
    if not 0 <= index < length:
        raise Failure(f"index out of range: {index} (array length is {length})", at)
    return index


def length(value: Any, at: int) -> int:
    """Return the length of a list or map, or of a text in bytes: the end of a slice that names none."""
    if isinstance(value, str):
        return len(value) if value.isascii() else len(encoded(value))
    if isinstance(value, (list, tuple, dict, bytes)) and not isinstance(value, Whole):
        return len(value)
    raise Failure(f"invalid argument for len (type {type_name(value)})", at)


def slice_of(value: Any, first: Any, last: Any, at: int) -> Any:
    """Return ``value[first:last]``: bounds below zero count from the end, and all are moved into the list or text."""
    if isinstance(value, str):
        if value.isascii():
            return value[slice(*_bounds(first, last, len(value), at))]
        data = encoded(value)
        return decoded(data[slice(*_bounds(first, last, len(data), at))])
    if isinstance(value, (list, tuple, bytes)):
        return part_of(value, value[slice(*_bounds(first, last, len(value), at))])
    raise Failure("cannot slice " + sprint(first), at)


def _bounds(first: Any, last: Any, size: int, at: int) -> tuple[int, int]:
    try:
        start, end = to_int(first), to_int(last)
    except Fault as fault:
        raise Failure(fault.message, at) from None
    if start < 0:
        start = max(size + start, 0)
    if end < 0:
        end = max(size + end, 0)
    end = min(end, size)
    return min(start, end), end


def compiled(pattern: str, at: int) -> Regexp:
    """Return the program of an RE2 expression. Raises Failure for a malformed one."""
    from ..go.regexp.program import compile_regexp

    try:
        return compile_regexp(pattern)
    except RegexpError as error:
        raise Failure(str(error), at) from None


def matches(text: Any, pattern: Any, at: int) -> bool:
    """Return whether RE2 expression ``pattern`` occurs in ``text``; nil on either side is no match."""
    if is_nil(text) or is_nil(pattern):
        return False
    if not isinstance(pattern, str):
        raise Failure(conversion(pattern, "string").message, at)
    try:
        return bool(compiled(pattern, at).search(subject(text, at)))
    except RegexpError as error:
        raise Failure(str(error), at) from None


def subject(text: Any, at: int) -> str:
    """Return what a regular expression is matched against: a text, or bytes as text."""
    if isinstance(text, str):
        return text
    if isinstance(text, bytes):
        return decoded(text)
    raise Failure(conversion(text, "[]uint8").message, at)


def text_test(method: str) -> Callable[[Any, Any, int], bool]:
    """Return the function behind ``contains``, ``startsWith`` or ``endsWith``, given the method of str that decides."""
    test = getattr(str, method)

    def tested(text: Any, part: Any, at: int) -> bool:
        if is_nil(text) or is_nil(part):
            return False
        for operand in (part, text) if isinstance(text, str) else (text,):
            if not isinstance(operand, str):
                raise Failure(conversion(operand, "string").message, at)
        return bool(test(text, part))

    return tested


def items_of(value: Any, at: int) -> Sequence[Any]:
    """Return what a closure runs over: the elements of a list, the bytes of a text.

    A map has as many as it has keys, each of them NO_ELEMENT: a closure runs over it as long as it takes none.
    """
    if isinstance(value, (list, tuple)):
        return value
    if isinstance(value, dict) and not isinstance(value, Whole):
        return [NO_ELEMENT] * len(value)
    if isinstance(value, str):
        return [Uint8(byte) for byte in encoded(value)]
    if isinstance(value, bytes):
        return [Uint8(byte) for byte in value]
    what = "zero" if value is None else kind_name(value)
    raise Failure(f"reflect: call of reflect.Value.Len on {what} Value", at)


def element(item: Any, at: int) -> Any:
    """Return what a closure takes as its element. Raises Failure for NO_ELEMENT."""
    if item is NO_ELEMENT:
        raise Failure("reflect: call of reflect.Value.Index on map Value", at)
    return item
