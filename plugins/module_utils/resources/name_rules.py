# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The rules for words that become arguments of a package or service manager (behaviour.md 8, 10)."""

from __future__ import annotations

from ..model.errors import InvalidResource

_DANGEROUS = set(";&|$`()[]{}<>*?'\"\\!\n\t\r")
_ALLOWED = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+:~-")


def check_name(what: str, name: str, also_allowed: str = "") -> None:
    """Refuse a `what` ("package", "service") name with characters that are dangerous or not allowed.

    Raises InvalidResource.
    """
    check_argument(f"{what} name", "name", name)
    if not name or not _ALLOWED.union(also_allowed).issuperset(name):
        allowed = f" (allowed: alphanumeric, ._+:~-{also_allowed})"
        raise _refused(f"{what} name contains invalid characters", "name", name, allowed)


def check_argument(what: str, property: str, word: str) -> None:
    """Refuse a `word` of a property, called `what`, with characters that have a meaning for a shell.

    Raises InvalidResource.
    """
    if not _DANGEROUS.isdisjoint(word):
        raise _refused(f"{what} contains dangerous characters", property, word)


def _refused(fault: str, property: str, value: str, rest: str = "") -> Exception:
    from ..lang.go.fmt import quote

    return InvalidResource(f"{fault}: {quote(value)}{rest}", property=property, value=value)
