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
    before, finders = dict(sys.modules), list(sys.meta_path)
    yield site
    # The first type of a package shares the names of the contract (contract_names.py).
    sys.meta_path[:] = finders
    for name in [name for name in {**sys.modules, **before} if name.startswith("ansible_collections")]:
        sys.modules.pop(name, None)
        sys.modules.update({name: before[name]} if name in before else {})
    for name in set(sys.modules) - set(before):
        if (getattr(sys.modules[name], "__file__", None) or "").startswith(str(site.directory)) or name.startswith(
            "ccm_"
        ):
            del sys.modules[name]
