# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The types of values as documents, module arguments and events have them; only mypy reads this file."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Mapping, Protocol, Sequence, Tuple, TypedDict, Union

    #: What YAML and JSON can say.
    Value = Union[None, bool, int, float, str, bytes, Sequence["Value"], Mapping[str, "Value"]]
    #: Such values by name, as they are put together: properties, fields, the details of a state.
    Data = Dict[str, Value]
    #: What is known of a machine, by name: a tree whose leaves can be anything that facts give.
    Facts = Mapping[str, Any]
    #: The facts themselves, or a function that gathers them when they are first asked for.
    FactSource = Union[Facts, Callable[[], Facts], None]
    #: What the state of a type shows in events, beside what all states show; each type says of which types it is.
    Details = Dict[str, Any]
    #: The keys and indices that lead to a value.
    Path = Tuple[Union[str, int], ...]

    class HealthCheck(TypedDict):
        """A declared health check after validation."""

        name: str
        command: str
        goss_rules: Data | None
        timeout: str
        tries: int
        try_sleep: str
        format: str

    class Registration(TypedDict):
        """A declared registration after its templates are resolved."""

        cluster: str
        protocol: str
        service: str
        address: str
        port: int | None
        priority: int
        ttl: str | None
        annotations: dict[str, str]

    #: What will change, in the form of Ansible's diffs: texts before and after, or attributes by name.
    Difference = Dict[str, Union[str, int, Mapping[str, Union[str, bool, None]]]]

    class ParsedDocument(Protocol):
        """A document with the places of its values: YAML, JSON, or one that was parsed elsewhere."""

        name: str
        text: str
        #: What the document says, which can be anything until it was looked at.
        value: Any

        @property
        def lines(self) -> list[str]: ...

        def position(self, path: Path) -> tuple[int, int] | None: ...

        def value_position(self, path: Path) -> tuple[int, int] | None: ...

        def scalar(self, path: Path) -> str | None: ...

        def is_unquoted(self, path: Path) -> bool: ...
