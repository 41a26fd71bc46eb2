# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A resource and its type: the contract that every type in `resources` fulfils."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ..redaction.texts import without_text_secrets
from .contract import Contract, P, S
from .property import DEFERRED, Property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar, Mapping, Protocol, Sequence

    from .contract import AnyType
    from .decision import Decision
    from .errors import CCMError, Position
    from .provider import Provider
    from .values import Data, HealthCheck, Meta, Path, Registration  # noqa: F401 - Meta is in a comment

    class Origin(Protocol):
        """The part of a document that a resource was read from (decode.py)."""

        def nearest_position(self, path: Path) -> Position | None: ...


_RECORDED = "CommonResourceProperties."


def _name(of_commands: bool) -> Property:
    name = _RECORDED + "Name"
    return Property("name", recorded_name=name, help="What is managed.", required=True, may_hold_secrets=of_commands)


BASIC_PROPERTIES = (
    _name(of_commands=False),
    Property(
        "alias", recorded_name=_RECORDED + "Alias", help="Another name for references to this resource and for logs."
    ),
    Property("ensure", recorded_name=_RECORDED + "Ensure", help="The state that is wanted."),
    Property(
        "provider",
        recorded_name=_RECORDED + "Provider",
        help="The provider to use, instead of the most suitable one.",
    ),
)


class Properties:
    """The values of a resource's properties, one attribute each; every declared property exists.

    A type has a subclass for its own properties. A front end may leave out common properties that it does not know,
    except `BASIC_PROPERTIES`.
    """

    name: str
    alias: str
    ensure: str
    provider: str
    health_checks: Sequence[HealthCheck] = ()
    require: Sequence[str] = ()
    control: dict[str, str] | None = None
    register_when_stable: Sequence[Registration] = ()
    meta = None  # type: Meta | None

    def __init__(self, values: Data) -> None:
        self.__dict__ = values


class ResourceType(ABC, Contract[P, S]):
    """A type of resources: its properties, its rules, its decision and its providers.

    Each type has a subclass in `resources/<type>/type.py`; one instance of it serves all resources. Where
    `default_provider` suits every machine, another is used only if it is named. `provider_programs` gives the programs
    that each other one needs (behaviour.md 2.6). A type that `applies_manifests` leaves it to the resources of these
    what to do in noop and where only health checks run. Its state is stable after a change where the type is
    `stable_after_change`: what was done need not be done again. With `name_may_hold_secrets` its names are commands.
    `name_aliases` are the other names of `name` in tasks, `own_meta` the fields of `meta` that only this type has. Of
    the types with one of the same `semaphores` only one resource is managed at once. `reversible` ones have a reversal;
    `undo_properties` are what only its `undone` gives, beside the others: no manifest, task or flag can. A resource
    without `ensure` has `default_ensure`; with `takes_empty_ensure` one whose `ensure` is empty has it too.
    """

    name: str
    verbs: ClassVar[tuple[str, ...]]
    properties_class: type[P]
    own_properties: ClassVar[tuple[Property, ...]] = ()
    undo_properties: ClassVar[tuple[Property, ...]] = ()
    own_meta: ClassVar[tuple[Property, ...]] = ()
    provider_names: tuple[str, ...] = ()
    default_provider: str = ""
    provider_programs: Mapping[str, tuple[str, ...]] = {}
    default_ensure: ClassVar[str] = ""
    takes_empty_ensure: ClassVar[bool] = True
    ensure_choices: ClassVar[tuple[str, ...]] = ()
    stable_after_change: ClassVar[bool] = False
    reversible = False
    applies_manifests: ClassVar[bool] = False
    name_may_hold_secrets: bool = False
    name_aliases: tuple[str, ...] = ()
    semaphores = ()  # type: tuple[str, ...]
    _all_properties: tuple[Property, ...] = ()
    _known_defaults: tuple[Data, list[Property]] | None = None

    @property
    def properties(self) -> tuple[Property, ...]:
        """Return all declared properties, the common ones first, in the order in which events show them."""
        if not self._all_properties:
            from .common import common_properties

            common = common_properties(self.own_meta, self.reversible)
            self._all_properties = self._first_properties + common + self.own_properties
        return self._all_properties

    @property
    def late_properties(self) -> tuple[Property, ...]:
        """Return the declared properties whose expressions are resolved just before a resource is managed."""
        return tuple(prop for prop in self.properties if prop.when == DEFERRED)

    @property
    def _defaults(self) -> tuple[Data, list[Property]]:
        """Return the value of each declared property that is not given, and the own ones with lists and mappings.

        Copies of the values share the table of their keys, as the dictionaries of objects do. Of a list or mapping of
        its own each resource has another one.
        """
        if self._known_defaults is None:
            values = vars(object.__new__(self.properties_class))
            for prop in (*self.properties, *self.undo_properties):
                value = prop.default_value()
                values[prop.name] = () if value == [] else value
            own = [prop for prop in (*self.own_properties, *self.undo_properties) if values[prop.name] in ((), {})]
            self._known_defaults = values, own
        return self._known_defaults

    @property
    def basic_properties(self) -> tuple[Property, ...]:
        """Return the declared properties without the common properties of manifests and requests only."""
        return self._first_properties + self.own_properties

    @property
    def _first_properties(self) -> tuple[Property, ...]:
        return (_name(of_commands=True), *BASIC_PROPERTIES[1:]) if self.name_may_hold_secrets else BASIC_PROPERTIES

    def made(self, values: Data) -> P:
        """Return properties of this type; `values` has all of them."""
        return self.properties_class(values)

    def validate(self, properties: P) -> None:
        """Check decoded, eagerly resolved properties (behaviour.md 2.3). Raises InvalidResource for the first fault.

        The types of this package override it, and call this one first; types of other packages have `validate_own`.
        """
        if not (properties.name and properties.ensure) or properties.require or properties.register_when_stable:
            from .common import validate_common

            validate_common(self, properties)
        self.validate_own(properties)

    def validate_own(self, properties: P) -> None:
        """Check and normalise the type's own properties. Raises InvalidResource."""

    def validate_late(self, properties: P) -> None:
        """Check properties whose late expressions are resolved, as `validate`. Raises InvalidResource."""
        self.validate(properties)

    def normalise(self, properties: P) -> None:
        """Bring validated properties to their one form. Raises InvalidResource if there is none."""

    def deferred_values(self, properties: P) -> Data:
        """Return deferred properties, by name, whose value changes once their expressions are resolved."""
        return {}

    def derived_values(self, properties: P) -> Data:
        """Return, just before the resource is managed, the values of properties not given that depend on others."""
        return {}

    def subscriptions(self, properties: P) -> Sequence[str]:
        """Return references whose change refreshes the resource."""
        return ()

    def has_changed(self, before: S, after: S) -> bool:
        """Return whether acting changed the state."""
        return True

    def determines(self, properties: P) -> bool:
        """Return whether properties without expressions determine all of a stable state, as `relations` say.

        Every run asks it of each stable resource, so a built-in type answers here: it need not import its relations.
        """
        related = getattr(self, "relations", None)
        return related is not None and bool(related.determines(properties))

    def is_groupable(self, properties: P) -> bool:
        """Return whether the resource may be brought to its state together with adjacent ones."""
        return False

    def waits_for_nothing(self, properties: P) -> bool:
        """Return whether the resource is soon managed: without processes, the network, pauses and files of any size.

        Only types of this package are asked.
        """
        return False

    def provider(self, name: str) -> type[Provider[P, S]]:
        """Return the provider class of a name out of `provider_names`, imported now.

        It is PROVIDER in the file with that name beside the file of the type.
        """
        package = type(self).__module__.rpartition(".")[0]
        found: type[Provider[P, S]] = __import__(f"{package}.{name}", fromlist=["PROVIDER"]).PROVIDER
        return found

    @abstractmethod
    def decide(self, state: S, properties: P, refresh: bool) -> Decision:
        """Return what has to be done to get from `state` to `properties`; changes nothing.

        Raises ResourceFailed for a state from which the wanted one cannot be reached.
        """

    @abstractmethod
    def shortfall(self, state: S, properties: P) -> str:
        """Return why `state`, after acting, is not the wanted one; empty when it is."""


class Resource:
    """One declared resource: its type and its properties.

    `declared` are the properties that it has values for, by default all of its type. `origin` is the part of a document
    that has its own properties, None without a document.
    """

    __slots__ = ("declared", "origin", "properties", "reference", "type", "written")

    def __init__(
        self,
        type: AnyType,
        properties: Properties,
        declared: tuple[Property, ...] = (),
        origin: Origin | None = None,
    ) -> None:
        self.type = type
        self.properties = properties
        self.declared = declared or type.properties
        self.origin = origin
        #: The reference `type#name`, as it is written, and with secrets replaced.
        self.written = self.reference = f"{type.name}#{properties.name}"
        if type.name_may_hold_secrets:
            self.reference = f"{type.name}#{without_text_secrets(properties.name)}"

    @property
    def names(self) -> list[str]:
        """The references that name the resource: by its name and by its alias, as they are written."""
        alias = self.properties.alias
        return [self.written, f"{self.type.name}#{alias}"] if alias else [self.written]

    def with_properties(self, values: Data) -> Resource:
        """Return the same resource with other values for some of its properties."""
        if not values:
            return self
        properties = self.type.made({**vars(self.properties), **values})
        return Resource(self.type, properties, self.declared, self.origin)

    @property
    def position(self) -> Position | None:
        """The position of the declaration, None where it is in no document."""
        return self.origin.nearest_position(()) if self.origin else None

    def placed(self, error: CCMError) -> CCMError:
        """Return an error about one of the properties with its place in the document, where that is known."""
        if error.position is None and self.origin is not None:
            error.position = self.origin.nearest_position(error.path or tuple(error.property.split(".")))
        return error

    @property
    def shown_name(self) -> str:
        """The name with secrets replaced (decisions.md Q38)."""
        return self.reference.partition("#")[2]


def resource_of(
    type: AnyType, values: Data, declared: tuple[Property, ...] = (), origin: Origin | None = None
) -> Resource:
    """Return a resource of a type with these values, and defaults for the others; see `complete`."""
    return Resource(type, type.made(complete(type, values, declared)), declared, origin)


def complete(type: AnyType, values: Data, declared: tuple[Property, ...] = ()) -> Data:
    """Return all `declared` properties (by default all of the type): the given values, defaults for the others.

    The properties that only an undo gives are always among them. The type has the default of `ensure` (decisions.md
    Q66).
    """
    if declared:
        complete_values = {prop.name: prop.default_value() for prop in (*declared, *type.undo_properties)}
    else:
        defaults, own = type._defaults
        complete_values = defaults.copy()
        for prop in own:
            complete_values[prop.name] = prop.default_value()
    for name in complete_values.keys() & values.keys():
        complete_values[name] = values[name]
    if not complete_values["ensure"] and ("ensure" not in values or type.takes_empty_ensure):
        complete_values["ensure"] = type.default_ensure
    return complete_values
