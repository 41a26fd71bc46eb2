# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of providers as users write them."""

from __future__ import annotations

import pytest
from ccm.model.errors import InvalidResource
from ccm.model.provider_options import provider_options


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({}, {}),
        ({"lock_timeout": "", "download_timeout": None, "download_limit": "", "package_index": None}, {}),
        ({"lock_timeout": "0s"}, {"lock_timeout": 0}),
        ({"package_index": "1h"}, {"package_index": 3_600_000_000_000}),
        ({"download_timeout": "1ns"}, {"download_timeout": 1}),
        ({"download_tries": 1}, {"download_tries": 1}),
        ({"download_tries": 100}, {"download_tries": 100}),
        ({"download_limit": "7"}, {"download_limit": 7}),
        ({"download_limit": "7B"}, {"download_limit": 7}),
        ({"download_limit": "500MiB"}, {"download_limit": 500 * 1024**2}),
        ({"download_limit": "2TiB"}, {"download_limit": 2 * 1024**4}),
    ],
)
def test_what_is_given_in_ns_and_bytes(given, found):
    assert provider_options(**given) == found


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("lock_timeout", "-1s", 'lock_timeout "-1s": negative'),
        ("package_index", "soon", 'package_index "soon": invalid duration'),
        ("download_timeout", "0s", 'download_timeout "0s": no time at all'),
        ("download_tries", 0, "download_tries must be from 1 to 100"),
        ("download_tries", 101, "download_tries must be from 1 to 100"),
        ("download_limit", "0", 'download_limit "0" is not a size'),
        ("download_limit", "5MB", 'download_limit "5MB" is not a size'),
        ("download_limit", "MiB", 'download_limit "MiB" is not a size'),
        ("download_limit", "-5", 'download_limit "-5" is not a size'),
        ("download_limit", "1.5GiB", 'download_limit "1.5GiB" is not a size'),
    ],
)
def test_what_is_refused(name, value, message):
    with pytest.raises(InvalidResource) as refused:
        provider_options(**{name: value})
    error = refused.value
    assert (error.message, error.property, error.value) == (message, name, value)
