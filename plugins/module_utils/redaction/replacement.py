# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The text in the place of a secret."""

from __future__ import annotations

REDACTED = "REDACTED"
