# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Find a manifest that a user names among the manifests with stored state (docs/state.md)."""

from __future__ import annotations

import os

from ..engine.between_runs import state_directory
from ..engine.state.manifests import is_stored
from ..host.errors import errno_of, reason_of
from ..model.errors import StoreError
from ..redaction.texts import shown_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.flags import Values

WHICH = "Path of the manifest, its address, or name:NAME"
_NAME = "name:"


def root_of(values: Values) -> str:
    """Return the directory of the state between runs."""
    return state_directory(values.state, os.environ)


def stored_identity(root: str, manifest: str) -> str:
    """Return the identity of a named manifest, preferring one with stored state.

    The word itself comes first: an identity that `ccm state list` prints is always found, even if its path is a link
    now. Raises StoreError.
    """
    identity = identity_of_word(manifest)
    others = [os.path.abspath(manifest)] if identity.startswith("/") else []
    return next((each for each in (manifest, identity, *others) if is_stored(root, each)), identity)


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
