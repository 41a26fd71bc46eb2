# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`ccm status`."""

from __future__ import annotations

import json

import yaml


def test_status_of_a_file(ccm, tmp_path, me):
    (tmp_path / "a").write_text("x\n")
    (tmp_path / "a").chmod(0o600)
    wanted = {
        "name": str(tmp_path / "a"),
        "owner": me[0],
        "group": me[1],
        "mode": "0600",
        "provider": "posix",
        "size": 2,
    }
    status = json.loads(ccm("status", "file", "a", "--json").out)
    assert wanted.items() <= status.items()
    assert {**yaml.safe_load(ccm("info", "file", tmp_path / "a").out), "mtime": ""} == {**status, "mtime": ""}
    assert json.loads(ccm("status", "file", "none", "--json").out)["mode"] == ""


def test_status_of_a_link_names_its_target_and_shows_what_it_leads_to(ccm, tmp_path):
    (tmp_path / "a").write_text("x\n", encoding="utf-8")
    (tmp_path / "to-a").symlink_to("a")
    (tmp_path / "to-nothing").symlink_to("caf\udce9")
    of_file, of_link = (json.loads(ccm("status", "file", name, "--json").out) for name in ("a", "to-a"))
    assert "ensure" not in of_file
    assert of_link == {**of_file, "name": str(tmp_path / "to-a"), "ensure": "link", "target": "a"}
    shown = ccm("status", "file", "to-a").out
    assert "\nensure: link\ntarget: a\n" in shown
    ran = ccm("status", "file", "to-nothing")
    assert (ran.status, ran.err) == (0, "")
    assert yaml.safe_load(ran.out)["ensure"] == "link"
    assert yaml.safe_load(ran.out)["mode"] == ""
    assert ccm("status", "file", "to-nothing", "--json").status == 0


def test_status_of_types_without_a_state(ccm):
    for type in ("exec", "archive"):
        ran = ccm("status", type, "x")
        assert (ran.status, ran.err) == (0, "")
        assert ran.out.startswith("Status for 'exec' and 'archive' resources is not supported yet due to them ")
    for type in ("apply", "scaffold"):
        ran = ccm("status", type, "x")
        assert (ran.status, ran.err) == (1, f"ccm: error: could not get status: unsupported resource type {type}\n")
    assert ccm("status", "lamp", "x").err == (
        "ccm: error: enum value must be one of apply,archive,exec,file,package,scaffold,service, got 'lamp'\n"
        "  or of group, ssh_authorized_key, user\n"
    )
