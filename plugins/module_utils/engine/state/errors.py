# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors of the state between runs."""

from __future__ import annotations

from ...model.errors import CCMError


class StoreError(CCMError):
    """The state that runs keep cannot be read or written."""


class Damaged(Exception):
    """A file of a store has content that no version of this program wrote."""
