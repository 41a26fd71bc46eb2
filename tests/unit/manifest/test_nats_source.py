# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""An object where a front end has no NATS."""

from __future__ import annotations

import pytest
from ccm.manifest.source import fetch_manifest
from ccm.model.errors import ManifestError
from ccm.model.log import Log


def test_an_object_needs_a_context():
    with pytest.raises(ManifestError, match=r"^nats context not set$"):
        fetch_manifest("obj://B/K", Log())
