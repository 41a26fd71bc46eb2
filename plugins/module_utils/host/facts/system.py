# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The system facts as one map whose families are gathered on first access (behaviour.md 12.1)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _collections_abc import dict_items, dict_values
    from typing import (
        Any,
        Callable,
        Dict,
        Iterable,
        Iterator,
        Mapping,
        Protocol,
        SupportsIndex,
        Tuple,
        Type,
        TypeVar,
        Union,
    )

    # Ansible sends the modules of all import statements to nodes, also of statements that do not run.
    from . import cpu, host, memory, network, partition  # noqa: F401
    from .fields import FactValue

    Gather = Callable[[], FactValue]
    Merge = Callable[[FactValue, FactValue], FactValue]
    Reduced = Tuple[Type["Facts"], Tuple[Dict[str, FactValue]]]
    Default = TypeVar("Default")

    class Keyed(Protocol):
        """An object with facts by name, for example a map."""

        def keys(self) -> Iterable[str]: ...

        def __getitem__(self, key: str, /) -> FactValue: ...

    Entries = Union[Keyed, Iterable[Tuple[str, FactValue]]]

#: The families of facts, in the order of the original; each is in the file of its name.
FAMILIES = ("cpu", "host", "memory", "network", "partition")


class Facts(dict):
    """A dict whose values are gathered on first access, each once.

    `Facts(base, overlay, merge)` merges the entries of `overlay` over the entries of `base`, by default the facts of
    this machine: a key of both gets `merge(base value, overlay value)` (without `merge` the overlay's value) on first
    access; keys of the overlay alone come last. Base and overlay may be Facts: nothing of them is gathered before it is
    wanted, and gathered values are shared.

    Access to keys gathers nothing; `[]` and `get` gather their key, and everything that needs all values (`items`,
    `==`, JSON, copying deep, pickling) gathers the rest. Changing the map works as for any dict.
    """

    __slots__ = ("_pending",)

    def __init__(
        self,
        base: Mapping[str, FactValue] | None = None,
        overlay: Mapping[str, FactValue] | None = None,
        merge: Merge | None = None,
    ) -> None:
        super().__init__()
        self._pending: dict[str, Gather] = {}
        if base is None:
            for family in FAMILIES:
                self._defer(family, _gathering(family))
        else:
            for key in base:
                self._defer(key, _value(base, key))
        overlay = overlay or {}
        for key in overlay:
            above = _value(overlay, key)
            below = self._pending.get(key)
            self._defer(key, above if below is None or merge is None else _merged(merge, below, above))

    def _defer(self, key: str, gather: Gather) -> None:
        self._pending[key] = gather
        dict.__setitem__(self, key, None)

    @classmethod
    def gathered_by(cls, gatherers: Mapping[str, Gather]) -> Facts:
        """Facts whose values are the results of functions without arguments, called on first access."""
        facts = cls({})
        for key, gather in gatherers.items():
            facts._defer(key, gather)
        return facts

    def plain(self) -> Facts:
        """Return the same facts under their JSON names only (plain maps in lists and maps), as lazy as these.

        For lookups by path, which must not see Go field names. Later entries of these facts are not included. Keep the
        view: it stores its converted values.
        """

        def convert(value: FactValue) -> FactValue:
            from .fields import without_field_names

            return without_field_names(value)

        return self.mapped(convert)

    def mapped(self, convert: Callable[[FactValue], FactValue]) -> Facts:
        """Return facts with the results of a function for the values of these, as lazy as these."""
        return Facts.gathered_by({key: self._converted(key, convert) for key in self})

    def _converted(self, key: str, convert: Callable[[FactValue], FactValue]) -> Gather:
        return lambda: convert(self[key])

    def _gather(self) -> None:
        for key in list(self._pending):
            self[key]

    def __getitem__(self, key: str) -> FactValue:
        gather = self._pending.get(key)
        if gather is not None:
            dict.__setitem__(self, key, gather())
            self._pending.pop(key, None)
        return dict.__getitem__(self, key)

    def get(self, key: str, default: Default | None = None) -> FactValue | Default:
        """Return the value of `key`, gathered if need be, or `default`."""
        if key in self:
            return self[key]
        return default

    def __iter__(self) -> Iterator[str]:
        # Its presence keeps dict(facts), {**facts} and dict.update from copying the raw entries.
        return dict.__iter__(self)

    def items(self) -> dict_items[str, FactValue]:
        """Return the items of all keys, all gathered."""
        self._gather()
        return dict.items(self)

    def values(self) -> dict_values[str, FactValue]:
        """Return the values of all keys, all gathered."""
        self._gather()
        return dict.values(self)

    def __eq__(self, other: object) -> bool:
        self._gather()
        if isinstance(other, Facts):
            other._gather()
        return dict.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None

    def __repr__(self) -> str:
        self._gather()
        return dict.__repr__(self)

    def copy(self) -> Facts:
        """Return a shallow copy, as lazy as these facts; both share the gathered values."""
        return Facts(self)

    __copy__ = copy

    def __reduce__(self) -> Reduced:
        return Facts, (dict(self.items()),)

    def __reduce_ex__(self, protocol: SupportsIndex) -> Reduced:
        return self.__reduce__()

    def __setitem__(self, key: str, value: FactValue) -> None:
        dict.__setitem__(self, key, value)
        self._pending.pop(key, None)

    def __delitem__(self, key: str) -> None:
        dict.__delitem__(self, key)
        self._pending.pop(key, None)

    def update(self, *others: Entries, **entries: FactValue) -> None:
        """As `dict.update`; of given Facts everything is gathered."""
        for key, value in dict(*others, **entries).items():
            self[key] = value

    def setdefault(self, key: str, default: FactValue = None) -> FactValue:
        """As `dict.setdefault`."""
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key: str, *default: Default) -> FactValue | Default:
        """As `dict.pop`; the value is gathered if need be."""
        if key in self:
            self[key]
        return dict.pop(self, key, *default)

    def popitem(self) -> tuple[str, FactValue]:
        """As `dict.popitem`, all gathered."""
        self._gather()
        return dict.popitem(self)

    def clear(self) -> None:
        """As `dict.clear`; nothing is gathered."""
        self._pending.clear()
        dict.clear(self)

    def __or__(self, other: Any) -> Facts:
        merged = self.copy()
        merged.update(other)
        return merged

    def __ror__(self, other: Any) -> dict[Any, Any]:
        merged = dict(other)
        merged.update(self)
        return merged

    def __ior__(self, other: Any) -> Facts:
        self.update(other)
        return self


def _value(source: Mapping[str, FactValue], key: str) -> Gather:
    return lambda: source[key]


def _merged(merge: Merge, below: Gather, above: Gather) -> Gather:
    return lambda: merge(below(), above())


def _gathering(family: str) -> Gather:
    """Return a function that gathers a family of facts, whose file is imported then."""

    def gathered() -> Facts:
        found: Facts = vars(__import__(f"{__package__}.{family}", fromlist=["*"]))[f"{family}_facts"]()
        return found

    return gathered


def system_facts() -> Facts:
    """Return the facts of this machine, in the original's order of keys; none is gathered yet.

    Gathering raises nothing, runs no command and sends no packet: an unreadable value is "", 0, an empty list or None,
    as each family defines.
    """
    return Facts()
