# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The types of values in documents, module arguments and events; only mypy reads this file."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Mapping, Protocol, Sequence, Tuple, TypedDict, Union

    from ..lang.values import Value

    #: What a line of a log can hold by name.
    Field = Union[None, bool, int, float, str, Sequence["Field"], Mapping[str, "Field"]]
    #: Such values by name: properties, fields, the details of a state.
    Data = Dict[str, Value]
    #: Facts of a host by name: a tree whose leaves can have any type.
    Facts = Mapping[str, Any]
    #: The facts themselves, or a function that gathers them at first use.
    FactSource = Union[Facts, Callable[[], Facts], None]
    #: The details of a state in events, in addition to the common fields; each type declares the types of its own.
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

    class Received(TypedDict):
        """What `send` of a resource notes of the sensitive values of others that its properties have."""

        names: list[str]
        texts: list[str]

    class Send(TypedDict, total=False):
        """A declared `send`."""

        sensitive: bool
        received: Received

    class Meta(TypedDict):
        """A declared `meta`."""

        before: list[str]
        notify: list[str]
        autoedge: bool | None
        autogroup: bool | None
        noop: bool
        retry: int
        retry_reset: bool
        delay: str
        timeout: str
        sema: list[str]
        send: Send | None
        watch: str
        poll: str
        grace: str
        limit: str
        burst: int
        rewatch: bool | None
        #: Of some types.
        watch_files: list[str]
        watch_command: str
        refresh: str
        reverse: bool
        undo: str
        validate: str

    #: What will change, in the form of Ansible's diffs: texts before and after, or attributes by name.
    Difference = Dict[str, Union[str, int, Mapping[str, Union[str, bool, None]]]]

    class ManifestProperties(Protocol):
        """The properties of a resource that applies a manifest, whose path is its name."""

        name: str
        alias: str
        noop: bool
        health_check_only: bool
        allow_apply: bool
        data: Data | None
        control: dict[str, str] | None
        meta: Meta | None

    class ParsedDocument(Protocol):
        """A document with the places of its values: YAML, JSON, or a document parsed elsewhere."""

        name: str
        text: str
        #: The content of the document, which can be anything until it is checked.
        value: Any

        @property
        def lines(self) -> list[str]: ...

        def position(self, path: Path) -> tuple[int, int] | None: ...

        def value_position(self, path: Path) -> tuple[int, int] | None: ...

        def scalar(self, path: Path) -> str | None: ...

        def is_unquoted(self, path: Path) -> bool: ...

    __all__ = [
        "Data",
        "Details",
        "Difference",
        "FactSource",
        "Facts",
        "Field",
        "HealthCheck",
        "ManifestProperties",
        "Meta",
        "ParsedDocument",
        "Path",
        "Registration",
        "Value",
    ]
