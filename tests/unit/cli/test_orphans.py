# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`ccm orphans`: what a manifest managed once, does not manage any more, and is still there."""

from __future__ import annotations

import json

import pytest

from tests.unit.engine.state.left_behind import NOOP, Site


@pytest.fixture
def site(ccm, tmp_path, me):
    return Site(ccm, tmp_path, me)


@pytest.mark.starts_processes
def test_a_file_that_left_the_manifest(site):
    site.apply(site.file("a"), site.file("b"), NOOP)
    assert site.orphans() == []
    site.apply(site.file("b"))
    assert site.orphans() == [f"file#{site.path('a')}"]
    # It is one until it is gone, also after further runs.
    site.apply(site.file("b", mode="0600"))
    assert site.orphans() == [f"file#{site.path('a')}"]
    site.path("a").unlink()
    assert site.orphans() == []


@pytest.mark.starts_processes
def test_orphans_in_json(site):
    site.apply(site.file("a"), NOOP)
    site.apply(NOOP)
    done = site.ccm("orphans", "m.yaml", "--json")
    assert done.status == 2
    path = str(site.path("a"))
    assert json.loads(done.out) == {"manifest": "m.yaml", "orphans": [{"resource": f"file#{path}", "path": path}]}


def test_a_manifest_that_was_never_applied_is_refused(site):
    site.path("m.yaml").write_text(json.dumps({"ccm": {"resources": [NOOP]}}))
    done = site.ccm("orphans", "m.yaml")
    assert (done.status, done.out) == (1, "")
    assert done.err == "ccm: error: no state is kept of m.yaml\n  apply it first, with the same --state or CCM_STATE\n"


@pytest.mark.starts_processes
def test_names_are_shown_as_in_plans(site):
    """U+007F controls a terminal; U+00A0 does not, and stays."""
    made, shown = site.file("a\x7f\xa0b"), "/a\\u007f\xa0b"
    site.apply({"exec": NOOP["exec"]}, made)
    for words in (("plan",), ("graph",), ("state", "show")):
        assert shown in site.ccm(*words, "m.yaml").out, words
    site.apply(NOOP)
    assert [line for line in site.orphans() if line.endswith(shown)]
