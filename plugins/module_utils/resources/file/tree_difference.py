# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How a directory differs from its source directory, the rules for it, and the steps and texts that follow from it."""

from __future__ import annotations

from ...lang.globs import GlobError, matches
from ...model.decision import Decision, Step
from ...model.errors import InvalidResource
from .directory_steps import making
from .type import ABSENT, DIRECTORY, root_mismatch

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

    from .type import FileProperties, FileState


class TreeChange:
    """An entry of the source to be written: its `path` in the tree, its `kind`, and its own state `wanted`.

    `kept` is the state of a present entry of the same kind, of which `parts` differ: "content", "target", "owner",
    "group" or "mode", each as it is and as it is wanted. An entry of another kind, `replaced` in words, is removed
    first if it `is_in_the_way`.
    """

    __slots__ = ("is_in_the_way", "kept", "kind", "parts", "path", "replaced", "wanted")

    def __init__(
        self,
        path: str,
        kind: str,
        wanted: os.stat_result,
        *,
        kept: os.stat_result | None = None,
        parts: tuple[tuple[str, str, str], ...] = (),
        replaced: str = "",
        is_in_the_way: bool = False,
    ) -> None:
        self.path = path
        self.kind = kind
        self.wanted = wanted
        self.kept = kept
        self.parts = parts
        self.replaced = replaced
        self.is_in_the_way = is_in_the_way

    @property
    def has_other_content(self) -> bool:
        """Whether a file or a link is to be written, and not only given other attributes."""
        return self.kept is None or any(name in ("content", "target") for name, _there, _wanted in self.parts)


class TreeDifference:
    """The `changes` of entries, the paths to be `purged`, and the number of `unchanged` entries.

    `digest` is one of the entries of the source, without their contents.
    """

    def __init__(self) -> None:
        self.changes: list[TreeChange] = []
        self.purged: list[str] = []
        self.unchanged = 0
        self.digest = ""

    @property
    def count(self) -> int:
        """The number of entries that are to be written or removed."""
        return len(self.changes) + len(self.purged)


def check_tree(properties: FileProperties) -> None:
    """Check `recurse`, `purge` and `ignore`. Raises InvalidResource."""
    ensure = properties.ensure
    if ensure == ABSENT:
        return
    if not properties.recurse:
        name = "purge" if properties.purge else "ignore"
        raise InvalidResource(f"'{name}' needs 'recurse: true'", property=name)
    if ensure != DIRECTORY:
        raise InvalidResource(
            f"'recurse: true' is only valid with 'ensure: directory', got 'ensure: {ensure}'", property="recurse"
        )
    if not properties.source:
        raise InvalidResource("'recurse: true' needs 'source', the directory to copy", property="recurse")
    for pattern in properties.ignore:
        if not pattern.strip("/"):
            raise InvalidResource("patterns of ignore cannot be empty", property="ignore", value=pattern)
        try:
            matches(pattern, "")
        except GlobError as error:
            raise InvalidResource(f"ignore: {error}: {pattern}", property="ignore", value=pattern) from None


def copying(state: FileState, properties: FileProperties, found: TreeDifference) -> Decision:
    """Return the decision that makes a directory, where it differs, and then its entries. Raises ResourceFailed."""
    steps = []
    if root_mismatch(state, properties):
        steps.append(making(state, properties))
    if found.count:
        entries = "1 entry" if found.count == 1 else f"{found.count} entries"
        steps.append(Step("copy_tree", f"Would have changed {entries}", f"Changed {entries}"))
    return Decision(*steps)
