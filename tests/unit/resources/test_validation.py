# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`validate` of files and scaffolds in manifests: nothing is put in place that the command refuses."""

from __future__ import annotations

import os

import pytest
from ccm.model.errors import CCMError

from tests.unit.manifest.runs import loaded, ran

GRAPH = "{order: graph}"


@pytest.fixture
def source(tmp_path):
    (tmp_path / "source/below").mkdir(parents=True)
    (tmp_path / "source/below/a").write_text("[[ 1 + 1 ]]\n")
    return tmp_path


def resource(kind, path, command):
    if kind == "file":
        own = f"owner: {os.getuid()}, group: {os.getgid()}, mode: '0640'"
        return f'- file: {{name: {path}, ensure: present, content: "2\\n", {own}, meta: {{validate: "{command}"}}}}'
    return f'- scaffold: {{name: {path}, ensure: present, source: source, meta: {{validate: "{command}"}}}}'


@pytest.mark.starts_processes
@pytest.mark.parametrize("engine", ["", GRAPH])
@pytest.mark.parametrize(("kind", "place"), [("file", "%s"), ("scaffold", "%s/below/a")])
def test_what_the_command_refuses_is_not_put_in_place(source, engine, kind, place):
    path = f"{source}/out"
    refusing = resource(kind, path, f"sh -c 'echo at line 1 >&2; grep -q 3 {place}'")
    events, _log = ran(loaded(refusing, source, engine=engine))
    assert events[path].errors == ["validate refused the new content with exit code 1: at line 1"]
    assert os.listdir(source) == ["source"]
    events, _log = ran(loaded(resource(kind, path, f"grep -q 2 {place}"), source, engine=engine))
    assert (events[path].changed, events[path].failed) == (True, False)
    # What is as wanted is not checked again.
    events, _log = ran(loaded(resource(kind, path, f"grep -q 3 {place}"), source, engine=engine))
    assert (events[path].changed, events[path].failed) == (False, False)


def repaired(source, text, path):
    """Run a resource whose command refuses everything, and return its event, which is to be a repair."""
    events, _log = ran(loaded(text, source))
    assert (events[path].failed, events[path].changed) == (False, True), events[path].errors
    return events[path]


@pytest.mark.starts_processes
@pytest.mark.parametrize("kind", ["content", "source"])
def test_a_repair_of_attributes_is_not_checked(source, kind):
    path = f"{source}/out"
    (source / "wanted").write_text("2\n")
    text = resource("file", path, "false %s")
    if kind == "source":
        text = text.replace('content: "2\\n"', "source: wanted")
    (source / "out").write_text("2\n")
    (source / "out").chmod(0o600)
    repaired(source, text, path)
    assert (source / "out").stat().st_mode & 0o777 == 0o640
    # The content is new: it is checked.
    (source / "out").write_text("3\n")
    events, _log = ran(loaded(text, source))
    assert events[path].errors == ["validate refused the new content with exit code 1"]


@pytest.mark.starts_processes
@pytest.mark.needs("root")
def test_a_repair_of_the_owner_is_not_checked(source):
    (source / "out").write_text("2\n")
    os.chown(source / "out", 54321, 54321)
    repaired(source, resource("file", f"{source}/out", "false %s"), f"{source}/out")
    assert (source / "out").stat().st_uid == os.getuid()


@pytest.mark.starts_processes
def test_the_removal_of_files_from_a_tree_is_not_checked(source):
    path = f"{source}/out"
    (source / "out/below").mkdir(parents=True)
    (source / "out/below/a").write_text("2\n")
    (source / "out/other").write_text("x")
    text = resource("scaffold", path, "false %s").replace("source: source", "source: source, purge: true")
    repaired(source, text, path)
    assert not (source / "out/other").exists()
    (source / "out/below/a").write_text("3\n")
    events, _log = ran(loaded(text, source))
    assert events[path].errors == ["validate refused the new content with exit code 1"]


@pytest.mark.parametrize("kind", ["file", "scaffold"])
def test_noop_does_not_check(source, kind):
    events, _log = ran(loaded(resource(kind, f"{source}/out", f"touch {source}/checked %s"), source), noop=True)
    assert events[f"{source}/out"].noop
    assert os.listdir(source) == ["source"]


@pytest.mark.starts_processes
def test_an_old_file_stays(source):
    (source / "out").write_text("old\n")
    ran(loaded(resource("file", f"{source}/out", "false %s"), source))
    assert (source / "out").read_text() == "old\n"


@pytest.mark.starts_processes
def test_a_named_pipe_that_the_command_puts_in_the_place_stays(source):
    place = source / "out"
    place.write_text("old\n")
    events, _log = ran(loaded(resource("file", place, f"sh -c 'rm -f {place}; mkfifo {place}' %s"), source))
    assert events[str(place)].errors == [f"{place} exists as a named pipe; cannot replace it by a file"]
    assert (place.is_fifo(), sorted(os.listdir(source))) == (True, ["out", "source"])


@pytest.mark.starts_processes
def test_nothing_is_left_of_a_tree_that_was_checked(source, monkeypatch):
    (source / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", f"{source}/tmp")
    ran(loaded(resource("scaffold", f"{source}/out", "false %s"), source))
    assert os.listdir(source / "tmp") == []


def test_a_command_that_cannot_run(source):
    events, _log = ran(loaded(resource("scaffold", f"{source}/out", "no-such-program %s"), source))
    assert events[f"{source}/out"].errors[0].startswith("validate could not run: ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (resource("file", "/x", "true"), "validate must contain %s, the place of the path of the new content"),
        (resource("scaffold", "/x", "a | b %s"), "validate is run without a shell, and | is for shells"),
        (
            '- scaffold: {name: /x, ensure: absent, source: s, meta: {validate: "a %s"}}',
            "needs ensure: present, not absent",
        ),
        ('- file: {name: /x, ensure: absent, meta: {validate: "a %s"}}', "validate needs ensure: present, not absent"),
        ('- exec: {name: a, meta: {validate: "a %s"}}', 'unknown property "validate" in meta'),
        ("- exec: {name: a, meta: {refresh: reload}}", 'unknown property "refresh" in meta'),
        ("- service: {name: a, meta: {refresh: kick}}", "refresh must be one of restart, reload"),
        ("- exec: {name: a, meta: {timeout: 0s}}", 'timeout "0s" leaves no time'),
        ("- exec: {name: a, meta: {timeout: soon}}", 'timeout "soon": invalid duration'),
        ("- exec: {name: a, meta: {timeout: -1s}}", 'timeout "-1s": negative'),
    ],
)
def test_what_is_refused_before_anything_runs(text, message):
    with pytest.raises(CCMError) as refused:
        loaded(text)
    assert message in str(refused.value)
    assert refused.value.position


@pytest.mark.starts_processes
def test_what_a_command_says_is_shortened(source):
    command = "sh -c 'head -c 100000 /dev/zero | tr [:cntrl:] x; exit 1' %s"
    events, _log = ran(loaded(resource("file", f"{source}/out", command), source))
    assert 1000 < len(events[f"{source}/out"].errors[0]) < 3000


@pytest.mark.starts_processes
@pytest.mark.parametrize("status", [0, 1])
def test_a_directory_in_place_of_the_new_file_is_removed(source, status):
    command = f"sh -c 'rm $0; mkdir -p $0/below; exit {status}' %s"
    events, _log = ran(loaded(resource("file", f"{source}/out", command), source))
    assert events[f"{source}/out"].failed
    assert os.listdir(source) == ["source"]
