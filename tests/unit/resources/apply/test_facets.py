# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What applied manifests pass on to the manifest above them, through the command."""

from __future__ import annotations

import json

import pytest

CANARY = "canary-77c2"


class Site:
    """A manifest that applies another one and writes what this passes on to a file."""

    def __init__(self, ccm, directory, me):
        self.ccm = ccm
        self.directory = directory
        self.file = directory / "received"
        self.owner = {"owner": me[0], "group": me[1], "mode": "0600"}
        self.engine = {}

    def sender(self, value="made", **more):
        made = str(self.directory / "made")
        command = f"/bin/sh -c 'echo {value}; touch {made}'"
        return {"exec": [{"mint": {"command": command, "creates": made, **more}}]}

    def write(self, outputs, *resources, content="{{ sent('apply#child.yaml').outputs.token }}"):
        child = {"engine": {"outputs": outputs, **self.engine}, "resources": list(resources)}
        received = {str(self.file): {"ensure": "present", "content": content, **self.owner}}
        ccm = {"resources": [{"apply": [{"child.yaml": {}}]}, {"file": [received]}]}
        if self.engine:
            ccm["engine"] = self.engine
        (self.directory / "child.yaml").write_text(json.dumps({"ccm": child}))
        (self.directory / "m.yaml").write_text(json.dumps({"ccm": ccm}))

    def apply(self, *words):
        done = self.ccm("apply", "m.yaml", "--no-report", *words)
        assert done.status == 0, done.err
        return done.out + done.err


@pytest.fixture
def site(ccm, tmp_path, me):
    return Site(ccm, tmp_path, me)


@pytest.mark.starts_processes
@pytest.mark.parametrize("engine", [{}, {"order": "graph"}])
def test_an_output_is_received(site, engine):
    site.engine = engine
    site.write({"token": "{{ sent('exec#mint').stdout }}"}, site.sender())
    assert "file#" in site.apply()
    assert site.file.read_text() == "made"
    # The command is satisfied now; it sends what it sent last.
    site.file.unlink()
    site.apply()
    assert site.file.read_text() == "made"


@pytest.mark.starts_processes
def test_outputs_have_the_types_of_their_expressions(site):
    outputs = {"code": "{{ sent('exec#mint').exitcode }}", "deep": {"list": [1, "{{ 1 + 1 }}"]}, "plain": "x"}
    site.write(outputs, site.sender(meta={"send": {}}), content="${ toJSON(sent('apply#child.yaml').outputs) }")
    site.apply()
    assert json.loads(site.file.read_text()) == {"code": 0, "deep": {"list": [1, 2]}, "plain": "x"}


def test_in_noop_the_receiver_waits(site):
    site.write({"token": "{{ sent('exec#mint').stdout }}"}, site.sender())
    assert "noop=Would have changed: waits for apply#child.yaml\n" in site.apply("--noop")
    assert not site.file.exists()


@pytest.mark.starts_processes
def test_without_a_value_the_receiver_is_skipped(site):
    site.write({"token": "{{ sent('exec#mint').stdout }}"}, site.sender())
    site.apply("--no-state")
    site.file.unlink()
    assert " unmet=apply#child.yaml\n" in site.apply("--no-state")


@pytest.mark.starts_processes
def test_an_output_that_cannot_be_resolved_fails_the_manifest(site):
    site.write({"word": "{{ sent('exec#mint').nothing }}"}, site.sender())
    out = site.apply()
    assert "apply#child.yaml failed " in out
    assert "resolving field outputs[word]: " in out
    assert "exec#mint sends no nothing, only stdout, stderr, exitcode" in out
    assert " unmet=apply#child.yaml\n" in out


def test_an_output_of_a_resource_that_is_not_there(site):
    site.write({"word": "{{ sent('exec#mints').stdout }}"}, site.sender())
    out = site.apply()
    assert "child.yaml:1:" in out
    assert "there is no such resource in this manifest: exec#mints" in out
    assert " manifest=child.yaml property=engine.outputs " in out
    assert "did you mean exec#mint?" in out
    assert " unmet=apply#child.yaml\n" in out


@pytest.mark.starts_processes
def test_a_name_that_is_no_output(site):
    site.write({"other": "x"}, site.sender())
    assert "apply#child.yaml (outputs) sends no token, only other" in site.apply()


@pytest.mark.starts_processes
@pytest.mark.parametrize("engine", [{}, {"order": "graph"}])
def test_a_sensitive_output_is_shown_nowhere(site, engine):
    site.engine = engine
    secret = site.directory / "secret"
    secret.write_text(CANARY)
    mint = {"mint": {"command": f"cat {secret}", "meta": {"send": {"sensitive": True}}}}
    site.write({"token": "{{ sent('exec#mint').stdout }}"}, {"exec": [mint]})
    shown = ""
    for words in (("--diff",), ("--diff", "--debug"), ("--diff", "--log-format", "json")):
        site.file.write_text("before\n")
        shown += site.apply(*words)
        assert site.file.read_text() == CANARY
    site.write({"token": "{{ int(sent('exec#mint').stdout) }}"}, {"exec": [mint]})
    shown += site.apply()
    assert "not shown, for it may quote a sensitive value" in shown
    assert CANARY not in shown
