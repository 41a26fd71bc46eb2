# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `meta` says of how a resource is watched."""

from __future__ import annotations

import pytest


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
