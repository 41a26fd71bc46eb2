# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""From a manifest's text to a manifest that can run."""

from __future__ import annotations

from ..lang.yaml import YAMLError, YAMLUnavailable, load
from ..model.errors import CCMError, ManifestError, Position
from .loader import load_manifest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.values import ParsedDocument
    from .loader import Inputs
    from .manifest import Manifest


def read_manifest(text: bytes, name: str, directory: str, inputs: Inputs) -> Manifest:
    """Parse, resolve and validate a manifest with this name for messages and this directory.

    Raises CCMError with position and excerpt for any fault in it.
    """
    return load_document(parse_manifest(text, name), name, directory, inputs)


def parse_manifest(text: bytes, name: str) -> ParsedDocument:
    """Return the document in a manifest's text. Raises ManifestError, with its place, for what is not YAML."""
    try:
        return load(text, name)
    except YAMLError as error:
        raise _not_yaml(error, text, name) from None
    except YAMLUnavailable as error:
        raise ManifestError(f"{name} cannot be read: {error}") from None


def _not_yaml(error: YAMLError, text: bytes, name: str) -> ManifestError:
    from ..redaction.faults import shown_fault
    from .shown_lines import every_secret_name

    message, shown = shown_fault(error, text, every_secret_name())
    position = Position(name, error.line, error.column) if error.line else None
    return ManifestError(f"{name} is not YAML: {message}", position=position, excerpt=shown)


def load_document(document: ParsedDocument, name: str, directory: str, inputs: Inputs) -> Manifest:
    """Resolve and validate a parsed manifest; errors show the line at fault."""
    try:
        return load_manifest(document, name, directory, inputs)
    except CCMError as error:
        raise show_line(error, document, name) from None


def show_line(error: CCMError, document: ParsedDocument, name: str) -> CCMError:
    """Return the error with the line at fault, secrets hidden, where it is in the document named `name`."""
    if error.position is not None and error.position.file == name and not error.excerpt:
        from .shown_lines import ShownLines

        error.excerpt = ShownLines(document).excerpt(error.position.line, error.position.column)
    return error
