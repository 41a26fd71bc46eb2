# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures for types of other packages."""

from __future__ import annotations

import sys

import pytest

from .site import Site


@pytest.fixture
def site(tmp_path, ccm, monkeypatch):
    site = Site(tmp_path, ccm)
    monkeypatch.syspath_prepend(str(site.directory))
    before = set(sys.modules)
    yield site
    for name in set(sys.modules) - before:
        if (getattr(sys.modules[name], "__file__", None) or "").startswith(str(site.directory)) or name.startswith(
            "ccm_"
        ):
            del sys.modules[name]
