# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The manifest that a user names whose state is kept, which may itself be gone (docs/state.md)."""

from __future__ import annotations

import os

from ..engine.state.all_manifests import is_kept
from ..engine.state.errors import StoreError
from ..engine.state.store import state_directory
from ..host.errors import errno_of, reason_of
from ..redaction.texts import shown_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.flags import Values

WHICH = "Path of the manifest, its address, or name:NAME"
_NAME = "name:"


def root_of(values: Values) -> str:
    """Return the directory of the state between runs."""
    return state_directory(values.state, os.environ)


def kept_identity(root: str, manifest: str) -> str:
    """Return the identity of a manifest that a user names; where several are possible, one of which state is kept.

    The word itself comes first: what `ccm state list` prints is always found, also where a link is there now. Raises
    StoreError.
    """
    identity = identity_of_word(manifest)
    others = [os.path.abspath(manifest)] if identity.startswith("/") else []
    return next((each for each in (manifest, identity, *others) if is_kept(root, each)), identity)


def identity_of_word(manifest: str) -> str:
    """Return the identity of a manifest that a user names. Raises StoreError."""
    if manifest.startswith(_NAME):
        return manifest
    if "://" in manifest:
        return shown_source(manifest)
    try:
        return os.path.realpath(manifest)
    except ValueError as error:
        raise StoreError(f"{manifest}: {reason_of(errno_of(error))}", value=manifest) from None
