# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The rules for words that become arguments of a package or service manager (behaviour.md 8, 10)."""

from __future__ import annotations

from ..model.errors import InvalidResource

_DANGEROUS = set(";&|$`()[]{}<>*?'\"\\!\n\t\r")
_HEXADECIMAL = set("0123456789abcdef")
_ALLOWED = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+:~-")


def check_name(what: str, name: str, also_allowed: str = "", escapes: bool = False) -> None:
    """Refuse a `what` ("package", "service") name with characters that are dangerous or not allowed.

    With `escapes` it may have the escapes of systemd, like `\\x2d` (decisions.md Q94). Raises InvalidResource.
    """
    plain = _without_escapes(name) if escapes and "\\" in name else name
    check_argument(f"{what} name", "name", name, plain)
    if not plain or not _ALLOWED.union(also_allowed).issuperset(plain):
        allowed = f" (allowed: alphanumeric, ._+:~-{also_allowed})"
        raise _refused(f"{what} name contains invalid characters", "name", name, allowed)


def _without_escapes(name: str) -> str:
    """Return a name with a letter for each `\\x` and two lower-case hexadecimal digits."""
    first, *others = name.split("\\")
    for part in others:
        is_escape = len(part) > 2 and part[0] == "x" and _HEXADECIMAL.issuperset(part[1:3])
        first += part if is_escape else "\\"
    return first


def check_argument(what: str, property: str, word: str, plain: str | None = None) -> None:
    """Refuse a `word` of a property, called `what`, with characters that have a meaning for a shell.

    `plain` is the word without what it may have nevertheless. Raises InvalidResource.
    """
    if not _DANGEROUS.isdisjoint(word if plain is None else plain):
        raise _refused(f"{what} contains dangerous characters", property, word)


def _refused(fault: str, property: str, value: str, rest: str = "") -> Exception:
    from ..lang.go.quoting import quote

    return InvalidResource(f"{fault}: {quote(value)}{rest}", property=property, value=value)
