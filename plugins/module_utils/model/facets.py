# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the rest of ccm asks of a type beside managing its resources; its flags are in flags.py.

`TypeDescription` is for schemas, documentation and lint. `Relations` are for a dependency graph, watching, and values
that are passed on. `Reversal` is for `meta.reverse` (docs/state.md).
"""

from __future__ import annotations

from .contract import Contract, P, S

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Mapping, Sequence, Tuple, Union

    from .property import Property
    from .state import State
    from .values import Data, Value

    Templates = Tuple[str, Callable[[str, str], str]]
    #: A function from the text of a template, and what it calls with a line, the words there and a sentence about them.
    PortableTemplates = Callable[[str, Callable[[int, str, str], None]], None]
    #: One part of the state that a resource changes: a plain value, or the state of a path (host/restorable_paths.py).
    Part = Union[str, int, bool, List[Union[str, int]]]
    #: Parts by their names. The name of a path is the path itself.
    Parts = Dict[str, Part]

#: The kinds with rules of their own. A `directory` is the path of a directory, a `tree` the path of a directory with
#: files. A wanted `path` is met by the resource that provides it, else by the nearest directory or tree above it. A
#: `unit` is a unit of systemd; a `user` or a `group` is an account, by name.
PATH, DIRECTORY, TREE, UNIT = "path", "directory", "tree", "unit"
USER = "user"
GROUP = "group"
#: The directories of systemd where packages put units.
UNIT_DIRECTORIES = ("/usr/lib/systemd/system/", "/lib/systemd/system/")


#: How often paths are looked at where the kernel does not report changes, in seconds, unless a type says otherwise.
POLL_SECONDS = 30.0


class TaskValue:
    """A value that the result of a task has for one type only, or that means something else there.

    `kind` is the kind of a property, `returned` says in words when the result has the value, `sample` is an example.
    """

    def __init__(
        self, name: str, kind: str = "string", *, help: str, returned: str, sample: str | int | None = None
    ) -> None:
        self.name = name
        self.kind = kind
        self.help = help
        self.returned = returned
        self.sample = sample


class TypeDescription:
    """The fields of a type's states, and what the original CCM does otherwise with its properties.

    `state_fields` are the fields that a state shows in addition to the common fields, in the order of events.
    `task_values` are the values in the result of a task beside, or in place of, the values of every type.
    `required_by_original` names the properties that have to be given there, `required_unless_absent` further properties
    for all words of `ensure` but `absent`. `portability` has a function for properties
    of which the original refuses some values: from a value as written to what the original does with it, "" for a value
    that it takes. A property that the original does not have says so itself (`Property.extension`).

    The rest is for lint. `addresses` names properties that may be a URL, with the schemes that each may have and the
    advice for others. `local_files` are properties that name a file next to the manifest. `commands` are properties
    with commands; where the first is not given, the name is the command. `paths` name a file or a directory, for which
    a user may expect that a pattern or `~` is expanded. `templates` gives the directory of templates that properties
    name, and a function from the text of a template and its name to its fault, "" for none; None where that cannot be
    known. `portable_templates` gives a function that says what the original cannot read in the text of a template, None
    for a language that it does not have. `version_words` are the words that `ensure` has where any other text is a
    version. `unused` gives the name of a property that means nothing beside others, and why, "" for both where there is
    none. `read_files` gives the properties that name a file to be read, not a directory, each with what to do with a
    directory. `unmet` has a function for properties with values that nothing can meet: from a text to why, and what to
    write instead, "" for both where it can be met.
    """

    def __init__(
        self,
        state_fields: tuple[Property, ...],
        *,
        task_values: tuple[TaskValue, ...] = (),
        required_by_original: tuple[str, ...] = (),
        required_unless_absent: tuple[str, ...] = (),
        portability: Mapping[str, Callable[[object], str]] | None = None,
        addresses: Mapping[str, tuple[tuple[str, ...], str]] | None = None,
        local_files: tuple[str, ...] = (),
        commands: tuple[str, ...] = (),
        paths: tuple[str, ...] = (),
        templates: Callable[[Mapping[str, Value]], Templates | None] | None = None,
        portable_templates: Callable[[Mapping[str, Value]], PortableTemplates | None] | None = None,
        version_words: tuple[str, ...] = (),
        unused: Callable[[Mapping[str, Value]], tuple[str, str]] | None = None,
        read_files: Callable[[Mapping[str, Value]], Mapping[str, str]] | None = None,
        unmet: Mapping[str, Callable[[str], tuple[str, str]]] | None = None,
    ) -> None:
        self.state_fields = state_fields
        self.task_values = task_values
        self.required_by_original = required_by_original
        self.required_unless_absent = required_unless_absent
        self.portability = portability or {}
        self.addresses = addresses or {}
        self.local_files = local_files
        self.commands = commands
        self.paths = paths
        self.templates = templates
        self.portable_templates = portable_templates
        self.version_words = version_words
        self.unused = unused
        self.read_files = read_files
        self.unmet = unmet or {}


class Identity:
    """Something on a host that resources provide or want: a `kind` (`path`, `user`, `package` …) and its `name`."""

    __slots__ = ("kind", "name")

    def __init__(self, kind: str, name: str) -> None:
        self.kind = kind
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and (self.kind, self.name) == (other.kind, other.name)

    def __hash__(self) -> int:
        return hash((self.kind, self.name))

    def __repr__(self) -> str:
        return f"Identity({self.kind!r}, {self.name!r})"


def accounts(user: str | None, group: str | None) -> list[Identity]:
    """Return the user and the group that are given by name, for what wants them; numbers and "" are none."""
    given = ((USER, user or ""), (GROUP, group or ""))
    return [Identity(kind, name) for kind, name in given if name and not (name.isascii() and name.isdigit())]


class Relations(Contract[P]):
    """The relations of a type's resources; all methods are pure, and return nothing by default.

    `sends` declares the values that a resource can pass on to others after it has run. Where the state does not show
    all changes, `shows_changes` is false. Watched paths whose changes the kernel does not report, such as files in
    `/proc`, are looked at every `poll_seconds`.
    """

    sends: tuple[Property, ...] = ()
    shows_changes = True
    poll_seconds = POLL_SECONDS

    def provides(self, properties: P) -> Sequence[Identity]:
        """Return what exists when the resource is converged or, with `ensure: absent`, no longer exists."""
        return ()

    def installs(self, properties: P) -> Sequence[str]:
        """Return the names of packages, whose files exist when the resource is converged."""
        return ()

    def wants(self, properties: P) -> Sequence[Identity]:
        """Return what must exist before the resource is managed."""
        return ()

    def watches(self, properties: P) -> Sequence[str]:
        """Return the paths, or names beside the manifest, whose change can mean that it is no longer converged."""
        return ()

    def watched_trees(self, properties: P) -> Sequence[str]:
        """Return the directories in which any change, at any depth, can mean that it is no longer converged."""
        return ()

    def watched_units(self, properties: P) -> Sequence[str]:
        """Return the units of systemd whose change can mean that it is no longer converged."""
        return ()

    def only_refreshed(self, properties: P) -> Data:
        """Return the properties to replace to act only when refreshed; none when the state shows what to do."""
        return {}

    def sent(self, properties: P, state: State) -> Mapping[str, Value] | None:
        """Return the values of `sends` after the resource has run; None when this run did not make the values."""
        return {}

    def observed(self, properties: P, state: State) -> Value:
        """Return the part of a state that shows changes between two runs; None for the whole state without times."""
        return None

    def determines(self, properties: P) -> bool:
        """Return whether properties without expressions determine all of a stable state."""
        return False

    def remains(self, properties: P) -> str | None:
        """Return the path that shows that something remains, "" where the state shows it, None when nothing remains."""
        return ""

    def is_there(self, state: State) -> bool:
        """Return whether the file, package or other thing that the resource manages exists in a state."""
        return state.ensure != "absent"

    def content(self, properties: P, state: State) -> str:
        """Return a digest of desired content that the properties do not have, such as the content of a source file."""
        return ""


class Reversal(Contract[P, S]):
    """How the changes of a type's resources are undone; all methods but `paths` are pure.

    The engine puts back the files at `paths`. The other `parts` come back because a resource with the properties of
    `undone` is brought to its state.
    """

    def is_reversible(self, properties: P, state: S) -> bool:
        """Return whether the change of a resource from this state can be undone."""
        return True

    def paths(self, properties: P, state: S) -> Sequence[str]:
        """Return the paths that the change of a resource from this state may replace, make or remove."""
        return ()

    def parts(self, properties: P, state: S) -> Parts:
        """Return what of this state a change of the resource changes, other than paths."""
        return {}

    def undone(self, properties: P, parts: Parts) -> Data:
        """Return the properties, but its name, of a resource that brings back these parts."""
        return {}


if TYPE_CHECKING:
    AnyRelations = Relations[Any]
    AnyReversal = Reversal[Any, Any]
