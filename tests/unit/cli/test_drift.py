# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json

import pytest


@pytest.fixture
def site(ccm, tmp_path, me):
    """Apply a manifest with two files and a command that has no guard."""
    site = Site(ccm, tmp_path, me)
    site.write("one\n")
    assert ccm("apply", "m.yaml").status == 0
    return site


class Site:
    def __init__(self, ccm, directory, me):
        self.ccm = ccm
        self.directory = directory
        self.owner = {"owner": me[0], "group": me[1], "mode": "0600", "ensure": "present"}

    def path(self, name):
        return self.directory / name

    def write(self, content):
        files = [{str(self.path(name)): {"content": content, **self.owner}} for name in ("a", "b")]
        self.path("m.yaml").write_text(json.dumps({"ccm": {"resources": [{"file": files}]}}))

    def drift(self, *words):
        return self.ccm("drift", "m.yaml", *words)


def test_nothing_drifted(site):
    done = site.drift()
    assert (done.status, done.out, done.err) == (0, "0 of 2 resources drifted\n", "")


def test_a_file_drifted(site):
    site.path("a").write_text("by hand")
    done = site.drift()
    assert done.status == 2
    assert done.out.startswith(f"drift: file#{site.path('a')}: would update (content)\n")
    assert done.out.endswith("\n1 of 2 resources drifted\n")
    assert site.path("a").read_text() == "by hand"


def test_what_drifts_in_the_same_way_again_is_drift(site):
    for _run in range(2):
        site.path("a").write_text("by hand")
        assert site.drift().status == 2
        assert site.ccm("apply", "m.yaml").status == 0
    site.path("a").write_text("by hand")
    done = site.drift()
    assert done.status == 2
    assert done.out.startswith("drift: file#")


def test_a_changed_manifest_is_no_drift(site):
    site.write("two\n")
    done = site.drift()
    assert done.status == 0
    assert done.out.count("manifest: file#") == 2


def test_a_state_that_cannot_be_read_is_said(site):
    site.path("a").unlink()
    site.path("a").symlink_to("n" * 300)
    done = site.drift()
    assert f"failed: file#{site.path('a')}: " in done.out


def test_the_result_as_json(site):
    site.path("a").unlink()
    done = site.drift("--json")
    assert done.status == 2
    result = json.loads(done.out)
    assert (result["manifest"], result["drifted"]) == ("m.yaml", 1)
    assert [(entry["resource"], entry["cause"]) for entry in result["resources"]] == [
        (f"file#{site.path('a')}", "drift")
    ]


def test_nothing_is_written(site):
    state = site.directory / "home/state"
    site.path("a").unlink()
    before = {path: path.stat().st_mtime_ns for path in state.rglob("*")}
    site.drift()
    assert {path: path.stat().st_mtime_ns for path in state.rglob("*")} == before


def test_a_manifest_that_was_never_applied_is_refused(site):
    site.path("m.yaml").rename(site.path("other.yaml"))
    done = site.ccm("drift", "other.yaml")
    assert done.status == 1
    assert "no state is kept of other.yaml" in done.err
    assert "apply it first" in done.err


def test_a_plan_says_the_cause(site):
    site.path("a").write_text("by hand")
    steps = json.loads(site.ccm("plan", "m.yaml", "--json").out)["steps"]
    assert [step["cause"] for step in steps] == ["drift", ""]


@pytest.mark.starts_processes
def test_what_waits_for_a_value_is_listed(ccm, tmp_path, me):
    marker, target = tmp_path / "marker", tmp_path / "a"
    owner = {"owner": me[0], "group": me[1], "mode": "0600"}
    sender = {"exec": [{"mint": {"command": f"sh -c 'echo 1; touch {marker}'", "creates": str(marker)}}]}
    receiver = {"file": [{str(target): {"ensure": "present", "content": "{{ sent('exec#mint').stdout }}", **owner}}]}
    (tmp_path / "m.yaml").write_text(json.dumps({"ccm": {"resources": [sender, receiver]}}))
    assert ccm("apply", "m.yaml").status == 0
    marker.unlink()
    shown = ccm("drift", "m.yaml").out
    assert f"not known: file#{target}: Would have changed: waits for exec#mint\n" in shown
