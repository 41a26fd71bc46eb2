# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The rules for the properties of a symbolic link, and the steps of decisions that make one (behaviour.md 7.2)."""

from __future__ import annotations

from ...model.decision import Decision, Step, Update
from ...model.errors import InvalidResource, ResourceFailed
from .type import ABSENT, DIRECTORY, LINK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from .type import FileProperties, FileState

_NOT_FOR_LINKS = (
    ("content", "a link has no content"),
    ("source", "a link has no content"),
    ("mode", "a link has no permissions of its own"),
)


def target_without_link(ensure: str, target: str, advice: str = "") -> InvalidResource:
    """Return the error for a target without `ensure: link`."""
    problem = f"'target' is only valid with 'ensure: link', got 'ensure: {ensure}'"
    return InvalidResource(problem, property="target", value=target, advice=advice)


def check_link(properties: FileProperties) -> None:
    """Check `target`, and that a link has only what links have. Raises InvalidResource."""
    ensure, target = properties.ensure, properties.target
    if ensure != LINK:
        if ensure != ABSENT:
            raise target_without_link(ensure, target)
        return
    for name, reason in _NOT_FOR_LINKS:
        value = getattr(properties, name)
        if value or (value is not None and name != "source"):
            raise InvalidResource(
                f"'{name}' cannot be used with 'ensure: link': {reason}",
                property=name,
                advice=f"leave it out; where defaults of a list give it, write {name}: null",
            )
    if not target:
        raise InvalidResource("target cannot be empty", property="target", advice="name what the link leads to")
    if "\0" in target:
        raise InvalidResource("target must not contain a NUL byte", property="target")


def linking(state: FileState, properties: FileProperties, parts: Sequence[str]) -> Decision:
    """Return the decision that makes a link, of which `parts` differ. Raises ResourceFailed (decisions.md Q87, Q121).

    A directory is replaced with `force` only, a device, a named pipe or a socket never.
    """
    name, target = properties.name, properties.target
    if state.ensure == LINK and "target" not in parts:
        step = Step("set_attributes", "Would have updated attributes", "Updated attributes")
        return Update(step, tuple(parts))
    would, done = f"Would have created link -> {target}", f"Created link -> {target}"
    if state.ensure == LINK:
        replaced = f" in place of link -> {state.metadata['target']}"
        return Update(Step("make_link", would + replaced, done + replaced), tuple(parts))
    replaced = ""
    if state.ensure == DIRECTORY:
        if not properties.force:
            raise ResourceFailed(
                f"{name} exists as a directory; cannot replace it by a link",
                property="ensure",
                advice="set force: true to remove it with everything in it",
            )
        replaced = " in place of a directory"
    elif state.irregular:
        raise ResourceFailed(f"{name} exists as {state.irregular}; cannot replace it by a link", property="ensure")
    elif state.ensure != ABSENT:
        replaced = " in place of a file"
    return Decision(Step("make_link", would + replaced, done + replaced))
