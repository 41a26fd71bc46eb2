# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The rules for names that end up in the arguments of a package or service manager."""

from __future__ import annotations

from ..lang.gofmt import quote
from ..model.errors import InvalidResource

DANGEROUS = set(";&|$`()[]{}<>*?'\"\\!\n\t\r")
_ALLOWED = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+:~-")


def check_name(what: str, name: str, also_allowed: str = "") -> None:
    """Refuse a `what` ("package", "service") name with characters that are dangerous or not allowed.

    Raises InvalidResource with the recorded texts (features.md 8, 10).
    """
    if DANGEROUS.intersection(name):
        raise InvalidResource(f"{what} name contains dangerous characters: {quote(name)}", property="name", value=name)
    if not name or not _ALLOWED.union(also_allowed).issuperset(name):
        raise InvalidResource(
            f"{what} name contains invalid characters: {quote(name)} (allowed: alphanumeric, ._+:~-{also_allowed})",
            property="name",
            value=name,
        )
