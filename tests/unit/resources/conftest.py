# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures for types of other packages."""

from __future__ import annotations

import sys

import pytest

from .site import Site

COLLECTIONS = "ansible_collections"


def forget_collections():
    """Forget the collections that were imported."""
    for name in [name for name in sys.modules if name.startswith(COLLECTIONS)]:
        del sys.modules[name]


@pytest.fixture
def site(tmp_path, ccm, monkeypatch):
    site = Site(tmp_path, ccm)
    monkeypatch.syspath_prepend(str(site.directory))
    before, finders = dict(sys.modules), list(sys.meta_path)
    # Of a test before in this process: its collections were looked for where those of this test are not.
    forget_collections()
    yield site
    # The first type of a package shares the names of the contract (contract_names.py).
    sys.meta_path[:] = finders
    forget_collections()
    sys.modules.update({name: module for name, module in before.items() if name.startswith(COLLECTIONS)})
    for name in set(sys.modules) - set(before):
        if (getattr(sys.modules[name], "__file__", None) or "").startswith(str(site.directory)) or name.startswith(
            "ccm_"
        ):
            del sys.modules[name]
