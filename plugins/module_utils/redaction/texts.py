# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Texts with their secrets hidden; a quick check comes first, as most texts hold none."""

from __future__ import annotations

# Each text that holds a secret has one of these.
_STEMS = ("@", "pass", "pwd", "secret", "token", "key", "cred", "auth", "cookie", "curl")


def without_text_secrets(text: str) -> str:
    """Return a command, an address, or a text that quotes one, without credentials and values of named secrets."""
    folded = text.casefold()
    for stem in _STEMS:
        if stem in folded:
            from .commands import hidden_text

            return hidden_text(text)
    return text


def shown_source(source: str) -> str:
    """Return a path unchanged, an address as `without_text_secrets` does."""
    return without_text_secrets(source) if ":/" in source else source
