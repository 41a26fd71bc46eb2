# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `meta` says of how a resource is watched."""

from __future__ import annotations

import pytest
from ccm.engine.watching.settings import ALERT, OFF, WatchSettings, check_watch_settings
from ccm.model.common import MetaProperty
from ccm.model.errors import InvalidResource
from ccm.model.meta import REPAIR


@pytest.mark.parametrize(
    ("meta", "message"),
    [
        ({"watch": "sometimes"}, "watch must be one of repair, alert, false, true"),
        ({"poll": "0s"}, 'poll "0s" leaves no time'),
        ({"poll": "often"}, 'poll "often": '),
        ({"grace": "-1s"}, 'grace "-1s": negative'),
        ({"limit": "2"}, 'limit "2" is not a number of checks in a time'),
        ({"limit": "0/s"}, 'limit "0/s" is not a number of checks in a time'),
        ({"limit": "1/fortnight"}, 'limit "1/fortnight" is not a number of checks in a time'),
        ({"burst": 2}, "burst needs a limit"),
    ],
)
def test_settings_without_a_meaning_are_refused(ccm, watching, meta, message):
    watching.write(watching.file("one", meta=meta))
    done = ccm("watch", "m.yaml", "--exit-converged", "10ms")
    assert done.status == 1
    assert message in done.err


def meta(**given):
    return {**{field.name: field.default_value() for field in MetaProperty().fields}, **given}


@pytest.mark.parametrize(
    ("given", "mode", "is_managed_once", "follows_changes"),
    [
        ({}, REPAIR, False, True),
        ({"watch": "true"}, REPAIR, False, True),
        ({"watch": "alert"}, ALERT, False, True),
        ({"watch": "false"}, OFF, True, False),
        ({"poll": "once"}, REPAIR, True, False),
        ({"poll": "30s"}, REPAIR, False, False),
    ],
)
def test_what_leads_to_a_check(given, mode, is_managed_once, follows_changes):
    found = WatchSettings(meta(**given))
    assert (found.mode, found.is_managed_once, found.follows_changes) == (mode, is_managed_once, follows_changes)


def test_without_meta_everything_has_its_default():
    for found in (WatchSettings(None), WatchSettings(meta())):
        assert (found.poll, found.grace, found.interval, found.burst, found.rewatch) == (0, 0, None, 1, True)
    assert not WatchSettings(meta(rewatch=False)).rewatch


@pytest.mark.parametrize(
    ("limit", "burst", "interval", "bursts"),
    [
        ("2/s", 0, 500_000_000, 1),
        ("1/10s", 5, 10_000_000_000, 5),
        ("4/m", 0, 15_000_000_000, 1),
        ("1/1m30s", 0, 90_000_000_000, 1),
        ("100/ms", 0, 10_000, 1),
        ("1/h", 0, 3_600_000_000_000, 1),
    ],
)
def test_a_limit_is_an_interval_between_checks(limit, burst, interval, bursts):
    found = WatchSettings(meta(limit=limit, burst=burst))
    assert (found.interval, found.burst) == (interval, bursts)


@pytest.mark.parametrize("limit", ["s", "/s", "2/", "2", "0/s", "-1/s", "1.5/s", "2/d", "1/s2", "1/-5s", "9/ns"])
def test_what_is_no_limit(limit):
    with pytest.raises(InvalidResource) as refused:
        check_watch_settings(meta(limit=limit))
    assert refused.value.message == f'limit "{limit}" is not a number of checks in a time'
    assert (refused.value.property, refused.value.advice) == ("limit", "write it like 2/s or 1/10s")


def test_durations_in_nanoseconds():
    found = WatchSettings(meta(poll="1m", grace="500ms"))
    assert (found.poll, found.grace, found.is_once) == (60_000_000_000, 500_000_000, False)
