# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Relative names in manifests that a task sent to the node, in a directory that exists only during the task."""

from __future__ import annotations

import os

from ..lang.paths import clean, join
from .errors import ResourceFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .environment import ExpressionEnvironment

_ADVICE = "give path the directory that holds all files"


def require_sent(
    name: str, directory: str, environment: ExpressionEnvironment | None, *, is_needed: bool = False
) -> None:
    """Refuse a relative name that leads out of the directory that was sent: any user may write files there.

    Where it `is_needed` at once, also the name of a file that was not sent. `directory` is the directory of the
    manifest that has the name. Raises ResourceFailed; decisions.md Q101.
    """
    if environment and environment.tree:
        require_below(name, directory, environment.tree)
        if is_needed:
            require_in_sent(name, directory, environment.tree)


def require_below(name: str, directory: str, tree: str) -> None:
    """Refuse a relative name that leads out of the directory `tree`, as `require_sent` does. Raises ResourceFailed."""
    tree = clean(tree)
    if name.startswith("/") or not _is_below(clean(directory), tree) or _is_below(join(directory, name), tree):
        return
    raise ResourceFailed(f"{name} is outside of the directory that was sent", value=name, advice=_ADVICE)


def require_in_sent(name: str, directory: str, tree: str) -> None:
    """Refuse a relative name of a file that was not sent to the directory `tree`; with a manifest alone no file is.

    `directory` is the directory of the manifest that has the name. Raises ResourceFailed.
    """
    is_sent = not name.startswith("/") and _is_below(clean(directory), clean(tree))
    if is_sent and not os.path.lexists(join(directory, name)):
        raise ResourceFailed(f"{name} was not sent with the manifest", value=name, advice=_ADVICE)


def _is_below(path: str, tree: str) -> bool:
    return f"{path}/".startswith(f"{tree}/")
