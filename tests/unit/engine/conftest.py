# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from tests.unit.resources.site import Site
from tests.unit.watching import Watching

from .probes import Probes


@pytest.fixture
def probes(ccm, tmp_path, monkeypatch):
    """Probes in a directory, with the type installed in this process."""
    site = Site(tmp_path, None)
    site.add("ccm-probe", {"probe": "tests.unit.engine.probe_type:TYPE"})
    monkeypatch.syspath_prepend(str(site.directory))
    return Probes(ccm, tmp_path)


@pytest.fixture
def watching(tmp_path, me):
    """`ccm watch` for a manifest in a scratch directory."""
    return Watching(tmp_path, me)
