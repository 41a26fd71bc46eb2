# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The rules that users and groups share (behaviour.md 22, 23)."""

from __future__ import annotations

from ..host.owners import NO_ID
from ..lang.go.quoting import quote
from ..model.errors import InvalidResource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ..model.facets import Parts
    from ..model.resource import Properties
    from ..model.values import Data

PRESENT = "present"
ABSENT = "absent"
MINIMUM = "minimum"
INCLUSIVE = "inclusive"
#: Of two resources of accounts one is changed at once: each change replaces the same files.
SEMAPHORE = "accounts"
_LONGEST_NAME = 32
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_FIRST = _LETTERS | set("0123456789_")
_OTHERS = _FIRST | set(".-")
#: Also in names of a directory service, like `DOMAIN\\name` and `name@domain`.
_OF_DIRECTORIES = _OTHERS | set("@\\")
_HIGHEST_ID = NO_ID - 1


def check_account_name(what: str, name: str) -> None:
    """Refuse the name of a `what` ("user", "group") that cannot be a name in the files. Raises InvalidResource."""
    if len(name) > _LONGEST_NAME:
        raise InvalidResource(
            f"{what} name has {len(name)} characters; {_LONGEST_NAME} are allowed",
            property="name",
            value=name[:_LONGEST_NAME] + "...",
        )
    plain = name[:-1] if name.endswith("$") else name
    if not plain or plain[0] not in _FIRST or not _OTHERS.issuperset(plain) or name.isdigit():
        raise _refused(
            f"{what} name", "name", name, "letters, digits, . _ - after a letter, a digit or _, not only digits"
        )


def check_references(property: str, names: Sequence[str]) -> None:
    """Refuse a name in a list of users or groups that none can have, a number too. Raises InvalidResource."""
    for name in names:
        is_number = name.isdigit()
        if is_number or not name or name[0] not in _FIRST or not _OF_DIRECTORIES.issuperset(name.rstrip("$")):
            allowed = "names, not numbers" if is_number else "letters, digits, . _ - @ \\ after a letter, a digit or _"
            raise _refused(f"a name in {property}", property, name, allowed)


def check_id(property: str, number: int | None) -> None:
    """Refuse a number that no account can have. Raises InvalidResource."""
    if number is not None and not 0 <= number <= _HIGHEST_ID:
        raise InvalidResource(
            f"{property} {number} is no valid number: it must be from 0 to {_HIGHEST_ID}",
            property=property,
            value=number,
        )


def check_membership(property: str, names: Sequence[str] | None, membership: str) -> None:
    """Refuse another word than minimum and inclusive, and inclusive without a list. Raises InvalidResource."""
    if membership not in (MINIMUM, INCLUSIVE):
        raise InvalidResource(
            f'membership must be "{MINIMUM}" or "{INCLUSIVE}"', property="membership", value=membership
        )
    if membership == INCLUSIVE and names is None:
        raise InvalidResource(
            f"membership: {INCLUSIVE} needs {property}", property="membership", advice=f"write {property}: [] for none"
        )
    check_references(property, names or ())


def check_ensure(ensure: str) -> None:
    """Refuse other states than present and absent. Raises InvalidResource."""
    if ensure not in (PRESENT, ABSENT):
        raise InvalidResource(
            f'invalid ensure value: must be one of "{PRESENT}" or "{ABSENT}"', property="ensure", value=ensure
        )


def wanted_names(
    there: Sequence[str], names: Sequence[str] | None, membership: str, without: Sequence[str] | None
) -> list[str]:
    """Return the names that a list is to have, sorted: also the present names, unless the list is inclusive.

    An undo takes out the names `without`.
    """
    if names is None:
        return sorted(set(there).difference(without or ()))
    return sorted(set(names) if membership == INCLUSIVE else {*there, *names})


def is_number(text: str) -> bool:
    """Return whether a user or a group is given by its number."""
    return text.isascii() and text.isdigit()


def shown(value: str) -> str:
    """Return a value of a property for messages."""
    return value or "nothing"


def parts_of_list(property: str, properties: Properties, there: Sequence[str]) -> Parts:
    """Return what an undo compares of a list of users or groups: each of its names, unless it is inclusive.

    Others may have put more names into it since. Of something to remove it is the whole list.
    """
    given = vars(properties)
    names = given[property] if given[property] is not None else given[f"without_{property}"]
    if names is None or given["membership"] == INCLUSIVE:
        is_whole = names is not None or properties.ensure == ABSENT
        return {property: ",".join(there)} if is_whole else {}
    return {f"{property} {name}": name in there for name in names}


def undone_list(property: str, properties: Properties, parts: Parts) -> Data:
    """Return the list and its membership, or the names to take out, that bring back these parts."""
    if property in parts:
        return {property: [name for name in str(parts[property]).split(",") if name], "membership": INCLUSIVE}
    names = vars(properties)[property] or ()
    return {f"without_{property}": [name for name in names if parts.get(f"{property} {name}") is False]}


def _refused(what: str, property: str, name: str, allowed: str) -> InvalidResource:
    return InvalidResource(f"{what} is not allowed: {quote(name)} (allowed: {allowed})", property=property, value=name)
