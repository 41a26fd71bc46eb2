# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""From a manifest's text to a manifest that can run."""

from __future__ import annotations

from ..lang.yaml import LARGE, YAMLError, YAMLUnavailable, load
from ..model.errors import ManifestError
from .loader import load_document
from .source import fetch_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

    from ..lang.yaml import Document
    from ..model.values import ParsedDocument
    from .loader import Inputs
    from .manifest import Manifest


def read_manifest(text: bytes, name: str, directory: str, inputs: Inputs) -> Manifest:
    """Parse, resolve and validate a manifest, named so in messages. Raises CCMError with position and excerpt."""
    manifest = load_document(document := parse_manifest(text, name), name, directory, inputs)
    document.drop()
    return manifest


def read_document(path: str, name: str) -> tuple[ParsedDocument, os.stat_result]:
    """Return the document of a manifest's file, which errors call `name`, and its status. Raises ManifestError."""
    found: list[os.stat_result] = []
    text = fetch_file(path, found.append)
    return parse_manifest(text, name), found[0]


def parse_manifest(text: bytes, name: str) -> Document:
    """Return the document in a manifest's text. Raises ManifestError, with the position, for text that is not YAML."""
    try:
        if len(text) < LARGE:
            return load(text, name)
        from ..lang.yamllarge import load_large

        return load_large(text, name)
    except YAMLError as error:
        from .shown_lines import not_yaml

        raise not_yaml(error, text, name) from None
    except YAMLUnavailable as error:
        raise ManifestError(f"{name} cannot be read: {error}") from None
