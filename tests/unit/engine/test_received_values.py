# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that resources send to others, through the command."""

from __future__ import annotations

import json
import re

import pytest
from ccm.resources.types import TYPE_NAMES, relations, resource_type

from tests.unit.layout import ROOT
from tests.unit.manifest.sending import RECEIVED, Site

CANARY = "canary-1f3a"


@pytest.fixture
def site(ccm, tmp_path, me):
    """Write m.yaml with a command that makes a value, and a file that receives it."""
    return Site(ccm, tmp_path, me)


@pytest.mark.starts_processes
@pytest.mark.parametrize("engine", [{}, {"order": "graph"}])
@pytest.mark.parametrize("content", [RECEIVED, "${ sent('exec#mint').stdout }", "${ sent('exec#' + 'mint').stdout }"])
def test_output_becomes_the_content_of_a_file(site, engine, content):
    site.engine = engine
    site.write(site.sender("'a  b'; echo c"), site.receiver(content))
    assert site.outcomes() == ["changed", "changed"]
    assert site.file.read_text() == "a  b\nc"


@pytest.mark.starts_processes
def test_all_keys_of_a_command(site):
    site.write(
        site.sender("out", returns=[3], code=3),
        site.receiver("${ sent('exec#mint') | toPairs() | sortBy(#[0]) | toJSON() }"),
    )
    site.apply()
    assert json.loads(site.file.read_text()) == [["exitcode", 3], ["stderr", "told"], ["stdout", "out"]]


@pytest.mark.starts_processes
def test_bytes_that_are_no_text(site):
    site.write({"exec": [{"mint": {"command": "printf 'a\\377'"}}]}, site.receiver())
    site.apply()
    assert site.file.read_text() == "a\\xff"


@pytest.mark.starts_processes
def test_commands_environments_and_aliases_receive(site):
    uses = {
        "command": "/bin/sh -c 'echo $TOKEN {{ sent(\"exec#token\").exitcode }}'",
        "environment": ["TOKEN={{ sent('exec#token').stdout }}"],
        "logoutput": True,
    }
    site.write(site.sender("seven", alias="token"), {"exec": [{"use": uses}]})
    assert " seven 0\n" in site.apply()


@pytest.mark.starts_processes
def test_without_state_a_satisfied_sender_sends_nothing(site):
    site.usual()
    assert site.outcomes("--no-state") == ["changed", "changed"]
    assert not site.state.exists()
    assert " skipped due to unmet requirement " in site.apply("--no-state")
    for words in ((), ("--noop",)):
        shown = site.apply("--no-state", *words)
        assert " unmet=exec#mint\n" in shown
        assert (
            f" WARN  A value is not kept, so what uses it is skipped resource=file#{site.file} sender=exec#mint"
            " advice=have exec#mint run again; with --no-state no value is kept\n"
        ) in shown
    plan = site.ccm("plan", "m.yaml", "--no-state")
    assert re.search(rf"file#{site.file}: skipped due to unmet requirement: exec#mint\n", plan.out)


@pytest.mark.starts_processes
@pytest.mark.parametrize("engine", [{}, {"order": "graph"}])
@pytest.mark.parametrize("more", [{"code": 1}, {"control": {"if": "false"}}, {"require": ["exec#bad"]}])
def test_a_sender_that_did_not_run_is_an_unmet_requirement(site, engine, more):
    site.engine = engine
    follows = {"exec": [{"after": {"command": "true", "require": [f"file#{site.file}"]}}]}
    site.usual(made=False)
    site.apply()
    assert site.kept()
    site.file.unlink()
    site.write({"exec": [{"bad": {"command": "false"}}]}, site.sender(made=False, **more), site.receiver(), follows)
    out = site.apply()
    assert re.search(r"received skipped due to unmet requirement .* unmet=exec#mint\n", out)
    assert re.search(rf"exec#after skipped due to unmet requirement .* unmet=file#{site.file}\n", out)
    assert not site.file.exists()


@pytest.mark.starts_processes
def test_a_reference_that_is_made_and_leads_nowhere_is_unmet(site):
    site.write(site.sender(), site.receiver("{{ sent('exec#' + 'nothing').stdout }}"))
    assert " unmet=exec#nothing\n" in site.apply()


@pytest.mark.parametrize("more", [{}, {"meta": {"retry": 1}}])
def test_a_sender_later_in_the_list_is_refused(site, more):
    site.write(site.receiver(**more), site.sender())
    done = site.ccm("apply", "m.yaml")
    assert done.status == 1
    assert "this resource comes later in the list: exec#mint" in done.err
    assert re.search(rf"at m\.yaml:1:\d+ \(content of file#{site.file}\)", done.err)
    assert "move one of the two, or set engine: {order: graph}" in done.err
    assert not site.made.exists()


@pytest.mark.parametrize("engine", [{}, {"order": "graph"}])
def test_a_sender_that_does_not_exist_is_refused(site, engine):
    site.engine = engine
    site.write(site.sender(), site.receiver("{{ sent('exec#mints').stdout }}"))
    done = site.ccm("apply", "m.yaml")
    assert done.status == 1
    assert "there is no such resource in this manifest: exec#mints" in done.err
    assert "did you mean exec#mint?" in done.err
    assert not site.made.exists()


@pytest.mark.starts_processes
def test_graph_order_puts_the_sender_first(site):
    site.engine = {"order": "graph"}
    site.write(site.receiver(), site.sender())
    assert site.outcomes() == ["changed", "changed"]
    assert site.file.read_text().startswith("token-")
    graph = site.ccm("graph", "m.yaml", "--format", "json")
    assert graph.status == 0, graph.err
    (edge,) = [edge for edge in json.loads(graph.out)["edges"] if "sent by" in edge["reason"]]
    assert edge["reason"] == f"file#{site.file} uses what is sent by exec#mint"
    assert edge["kind"] == "sent"


@pytest.mark.starts_processes
def test_noop_waits_for_a_sender_that_would_run(site):
    site.write(
        site.sender(), site.receiver(), {"exec": [{"use": {"command": "echo {{ sent('exec#' + 'mint').stdout }}"}}]}
    )
    waits = "Would have changed: waits for exec#mint"
    assert site.apply("--noop").count(f"noop={waits}") == 2
    assert not site.made.exists()
    plan = json.loads(site.ccm("plan", "m.yaml", "--json").out)
    assert waits in json.dumps(plan)
    site.apply()
    assert waits not in site.apply("--noop")
    site.made.unlink()
    assert site.apply("--noop").count(f"noop={waits}") == 2
    events = [json.loads(line) for line in site.apply("--noop", "--log-format", "json").splitlines()]
    assert [event["level"] for event in events][1:4] == ["WARN"] * 3


def test_a_sender_in_noop_of_its_own_is_unmet(site):
    site.usual(meta={"noop": True})
    assert " unmet=exec#mint\n" in site.apply()


def test_a_receiver_of_one_that_waits_waits_too(site):
    use = {"command": "echo {{ sent('exec#mint').stdout }}"}
    site.write(site.sender(), {"exec": [{"use": use}]}, site.receiver("{{ sent('exec#use').stdout }}"))
    assert "Would have changed: waits for exec#use" in site.apply("--noop")


@pytest.mark.starts_processes
def test_health_checks_of_a_receiver_run_without_the_value(site):
    checks = [{"command": "/bin/true", "name": "check"}]
    site.write(site.sender(), site.receiver(health_checks=checks))
    assert site.outcomes("--monitor-only") == ["stable"]


@pytest.mark.starts_processes
def test_an_unknown_key_fails(site):
    site.write(site.sender(), site.receiver("{{ sent('exec#mint').output ?? 'none' }}"))
    out = site.apply()
    assert re.search(r"received failed .*exec#mint sends no output, only stdout, stderr, exitcode", out)


@pytest.mark.starts_processes
@pytest.mark.parametrize("given", ["", "1", "'exec#mint', 2"])
def test_wrong_arguments(site, given):
    site.write(site.sender(), site.receiver(f"${{ sent({given}) }}"))
    assert "sent requires a string argument, a reference like type#name" in site.apply()


def test_what_is_resolved_early_receives_nothing(site):
    site.write(site.sender(), site.receiver("x", owner=RECEIVED))
    done = site.ccm("apply", "m.yaml")
    assert "sent() works only in what is resolved just before a resource of a manifest is managed" in done.err
    alone = site.ccm("ensure", "exec", "x", "--cwd", "{{ sent('exec#mint').stdout }}")
    assert "sent() works only in what" in alone.out + alone.err


def test_files_send_their_checksum(site):
    other = {str(site.directory / "other"): {"ensure": "present", "content": "x", "mode": "0600", **site.owner}}
    site.write({"file": [other]}, site.receiver(f"{{{{ sent('file#{site.directory}/other').checksum }}}}"))
    for _run in range(2):
        site.apply()
        assert site.file.read_text() == "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"


@pytest.mark.starts_processes
def test_applied_manifests_send_their_counts_and_receive_from_above(site):
    content = "${ toJSON([sent('apply#child.yaml').resource_count, sent('apply#child.yaml').changed_count]) }"
    site.write({"exec": [{"use": {"command": f"echo {RECEIVED}", "logoutput": True}}]}, name="child.yaml")
    site.write(site.sender("deep", meta={"send": {}}), {"apply": [{"child.yaml": {}}]}, site.receiver(content))
    for _run in range(2):
        assert " deep\n" in site.apply()
        assert site.file.read_text().split() == ["[", "1,", "1", "]"]


def test_directories_send_no_checksum(site):
    made = {str(site.directory / "made.d"): {"ensure": "directory", "mode": "0700", **site.owner}}
    site.write({"file": [made]}, site.receiver(f"{{{{ sent('file#{site.directory}/made.d').checksum }}}}"))
    assert re.search(r"sends no checksum, only (mtime|nothing)", site.apply())


@pytest.mark.starts_processes
@pytest.mark.parametrize("engine", [{}, {"order": "graph"}])
def test_a_sensitive_value_is_shown_nowhere(site, engine):
    site.engine = engine
    secret = site.directory / "secret"
    secret.write_text(CANARY + "\n")
    mint = {
        "command": f"cat {secret} /nothing",
        "returns": [1],
        "logoutput": True,
        "meta": {"send": {"sensitive": True}},
    }
    fails = {"command": f"/bin/sh -c 'echo {RECEIVED} >&2; exit 1'", "meta": {"retry": 1}}
    more = [
        {"mint": mint},
        {"use": {"command": f"echo {RECEIVED}", "logoutput": True}},
        {"again": {"command": "echo {{ sent('exec#use').stdout }}", "logoutput": True}},
        {"fails": fails},
        {"missing": {"command": f"/nothing/{RECEIVED}", "meta": {"retry": 1}}},
        {"says": {"command": f"/bin/sh -c 'cat {secret} >&2; exit 1'", "meta": {"send": {"sensitive": True}}}},
        {"number": {"command": "{{ int(sent('exec#mint').stdout) }}"}},
        {"key": {"command": "{{ fromJSON(sent('exec#mint').stdout) }}"}},
        {"environment": {"command": "false", "environment": [f"X={RECEIVED}"]}},
    ]
    site.write({"exec": more}, site.receiver())
    session = site.directory / "session"
    session.mkdir()
    shown = ""
    for words in (("--diff",), ("--diff", "--debug"), ("--diff", "--log-format", "json"), ("--noop", "--diff")):
        site.file.write_text("before\n")
        shown += site.apply(*words, "--session", str(session))
        if "--noop" not in words:
            assert site.file.read_text() == CANARY
    plan = site.ccm("plan", "m.yaml", "--json")
    shown += plan.out + plan.err + "".join(path.read_text() for path in session.iterdir())
    assert "is not shown, for it may quote a sensitive value" in shown
    assert "Trying again" in shown
    assert '"content": "REDACTED"' in shown
    assert re.search(r'"environment": \[\s*"REDACTED"\s*\]', shown)
    assert CANARY not in shown
    assert all(path.stat().st_mode & 0o077 == 0 for path in site.state.rglob("*"))


@pytest.mark.starts_processes
@pytest.mark.parametrize("names", [("mint", "plain"), ("plain", "mint")])
def test_a_sensitive_value_is_hidden_beside_another_one(site, names):
    content = " ".join(f"{{{{ sent('exec#{name}').stdout }}}}" for name in names)
    secret = site.directory / "secret"
    secret.write_text(CANARY + "\n")
    mint = {"command": f"cat {secret}", "meta": {"send": {"sensitive": True}}}
    site.write({"exec": [{"mint": mint}, {"plain": {"command": "echo shown"}}]}, site.receiver(content))
    shown = site.apply("--diff")
    assert sorted(site.file.read_text().split()) == [CANARY, "shown"]
    assert CANARY not in shown


@pytest.mark.starts_processes
def test_without_sensitive_the_same_is_shown(site):
    site.write(site.sender(CANARY, logoutput=True), site.receiver())
    assert site.apply("--diff").count(CANARY) == 2


def test_lint_knows_what_is_sent(site):
    def found(content, *words):
        site.write(site.sender(made=False), site.receiver(content))
        return site.ccm("lint", "m.yaml", *words).out

    assert found(RECEIVED, "--no-portability").endswith("nothing found\n")
    assert "the function sent is an extension" in found(RECEIVED, "--portability")
    assert "exec#mint sends no sdtout, only stdout, stderr, exitcode" in found("{{ sent('exec#mint').sdtout }}")
    assert "content points nowhere: no exec#mints comes before" in found("{{ sent('exec#mints').stdout }}")
    site.write(site.receiver(), site.sender())
    assert "content points forward: exec#mint comes later" in site.ccm("lint", "m.yaml").out


def test_the_guide_lists_what_types_send():
    listed = dict(re.findall(r"^\| (\w+) \| (`.*`) \|$", (ROOT / "docs/state.md").read_text(), re.MULTILINE))
    for name in TYPE_NAMES:
        sends = relations(resource_type(name)).sends
        assert listed.get(name, "") == ", ".join(f"`{prop.name}`" for prop in sends), (
            f"docs/state.md, the row of {name}"
        )
