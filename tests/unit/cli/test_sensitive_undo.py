# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is made from a sensitive value of another resource is not shown when it is undone, lost or refused either."""

from __future__ import annotations

import hashlib
import json

import pytest

pytestmark = pytest.mark.starts_processes

SECRET = "HUSH43"


@pytest.fixture
def site(ccm, tmp_path, me):
    """Apply a manifest with a resource that receives a secret; return what all commands printed since."""
    printed = []

    def run(*words):
        done = ccm(*words)
        printed.append(done.out + done.err)
        return done

    def write(*resources):
        source = {"exec": [{"s": {"command": f"echo {SECRET[:2]}{SECRET[2:]}", "meta": {"send": {"sensitive": True}}}}]}
        (tmp_path / "m.yaml").write_text(json.dumps({"ccm": {"resources": [source, *resources]}}))

    def receiving(type, name, **properties):
        return {type: [{name: properties}]}

    run.printed, run.write, run.receiving = printed, write, receiving
    run.owner = {"owner": me[0], "group": me[1], "mode": "0600", "ensure": "present"}
    return run


RECEIVED = "{{ sent('exec#s').stdout }}"


def shown(site):
    return [text for text in site.printed if SECRET in text or hashlib.sha256(SECRET.encode()).hexdigest() in text]


def test_a_source_that_cannot_be_read_is_not_named(site, tmp_path):
    site.write(site.receiving("file", str(tmp_path / "copy"), source=f"/nowhere/{RECEIVED}", **site.owner))
    done = site("apply", "m.yaml", "--debug")
    assert "failed: the reason is not shown" in done.out
    assert shown(site) == []


def test_a_command_undoes_with_the_value_that_it_received(site, tmp_path):
    made = f"{tmp_path}/made-{RECEIVED}"
    command = site.receiving("exec", "z", command=f"touch {made}", creates=made, meta={"undo": f"rm {made}"})
    site.write(command)
    site("apply", "m.yaml", "--no-report")
    assert (tmp_path / f"made-{SECRET}").exists()
    done = site("undo", "m.yaml", "--noop", "--diff")
    assert "1 of 1 changes would be undone" in done.out
    assert site("undo", "m.yaml", "--log-format", "json", "--debug").status == 0
    assert not (tmp_path / f"made-{SECRET}").exists()
    assert shown(site) == []


def test_an_undo_that_fails_does_not_say_why(site, tmp_path):
    command = site.receiving("exec", "z", command="true", meta={"undo": f"cat /nowhere/{RECEIVED}"})
    site.write(command)
    site("apply", "m.yaml", "--no-report")
    done = site("undo", "m.yaml")
    assert done.status == 1
    assert "not undone: the reason is not shown" in done.out
    assert shown(site) == []


def test_differences_of_an_undo_have_no_digest_of_it(site, tmp_path):
    secret = site.receiving("file", str(tmp_path / "r"), content=RECEIVED, **site.owner, meta={"reverse": True})
    plain = site.receiving("file", str(tmp_path / "p"), content="plain", **site.owner, meta={"reverse": True})
    site.write(secret, plain)
    site("apply", "m.yaml", "--no-report")
    done = site("undo", "m.yaml", "--noop", "--diff")
    assert "-sha256: REDACTED" in done.out
    assert f"-sha256: {hashlib.sha256(b'plain').hexdigest()}" in done.out
    assert shown(site) == []


def test_a_path_with_it_is_not_listed_as_left_behind(site, tmp_path):
    made = f"{tmp_path}/made-{RECEIVED}"
    site.write(site.receiving("exec", "z", command=f"touch {made}", creates=made))
    site("apply", "m.yaml", "--no-report")
    site.write()
    assert json.loads(site("orphans", "m.yaml", "--json").out)["orphans"] == []
    assert shown(site) == []
    state = (tmp_path / "home/state").rglob("state")
    assert [path for path in state if path.is_file() and SECRET in path.read_text()] == []
