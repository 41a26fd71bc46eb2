# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading a manifest again: what is watched for that, what a wrong manifest leaves, and what is forgotten."""

from __future__ import annotations

import functools
import http.server
import json
import sys
import tarfile
import threading

import pytest
from ccm.cli.watching import Watch
from ccm.manifest import watch_run
from ccm.model.errors import InvalidResource

from tests.patience import LIMIT, wait_until
from tests.unit.watching import ROUNDS, content, while_watching

RELOADS = 600 if ROUNDS >= 200 else 40
USED, REFUSED = "The manifest was read again", "The manifest is not used"


@pytest.fixture
def after_loads(monkeypatch):
    """Let calls be made after the manifest was read; the last one again and again."""
    calls = []
    load = Watch.load

    def load_and_call(self):
        found = load(self)
        if calls:
            (calls.pop(0) if len(calls) > 1 else calls[0])()
        return found

    monkeypatch.setattr(Watch, "load", load_and_call)
    return calls


@pytest.mark.parametrize("name", ["m.yaml", ".env", "template.jet"])
def test_what_changes_between_reading_and_watching_is_read_again(ccm, watching, tmp_path, after_loads, name):
    def write(text):
        resource = watching.file("one", f"{text} {{{{ Environ.WORD }}}}\n")
        if name == "template.jet":
            (tmp_path / name).write_text(json.dumps([resource]))
            (tmp_path / "m.yaml").write_text(json.dumps({"ccm": {"resources_jet_file": name}}))
        elif name == "m.yaml" or text == "old":
            watching.write(resource)
        (tmp_path / ".env").write_text(f"WORD={text}\n")

    write("old")
    after_loads += [lambda: write("new"), lambda: None]
    expected = "old new\n" if name == ".env" else "new new\n"
    while_watching(
        ccm, (lambda: wait_until(content(tmp_path / "one", expected)), ""), words=("--read-env", "--no-state")
    )


def test_a_manifest_that_changes_all_the_time_leaves_others_their_turn(
    ccm, watching, tmp_path, after_loads, monkeypatch
):
    """It was read again and again, and nothing was repaired."""
    monkeypatch.setattr("ccm.manifest.manifest_files._SETTLE", 0)
    (tmp_path / "facts.yaml").write_text("a: b\n")
    watching.write(watching.file("one"))

    def repair():
        wait_until(lambda: sys.stdout.getvalue().count(USED) > 3)
        for _time in range(3):
            (tmp_path / "one").unlink()
            wait_until(content(tmp_path / "one"))

    after_loads.append(lambda: (tmp_path / "facts.yaml").write_text("a: b\n"))
    while_watching(ccm, (repair, ""), words=("--facts", "facts.yaml", "--no-state"))


@pytest.mark.parametrize(
    "wrong",
    [None, "[[ nothing ", "x: y\n", "- file: [{/x: {ensure: presnt}}]\n"],
    ids=["missing", "jet", "map", "value"],
)
def test_a_file_that_made_the_manifest_wrong_is_watched(ccm, watching, tmp_path, wrong):
    watching.write(watching.file("one"))

    def refuse():
        if wrong is not None:
            (tmp_path / "template.jet").write_text(wrong)
        (tmp_path / "m.yaml").write_text('{"ccm": {"resources_jet_file": "template.jet"}}')

    def mend():
        (tmp_path / "template.jet").write_text(json.dumps([watching.file("two")]))
        wait_until(content(tmp_path / "two"))

    while_watching(ccm, (refuse, REFUSED), (mend, USED), words=("--no-state",))


def test_a_fault_in_a_package_refuses_a_manifest(ccm, watching, tmp_path, monkeypatch):
    """It ended the watching: what is to be watched was only asked for when the manifest was in use."""
    sources_of = watch_run.sources_of

    def faulty(resource, *arguments):
        if resource.properties.name.endswith("/faulty"):
            raise InvalidResource("the package is wrong")
        return sources_of(resource, *arguments)

    def repair():
        (tmp_path / "one").unlink()
        wait_until(content(tmp_path / "one"))

    monkeypatch.setattr(watch_run, "sources_of", faulty)
    watching.write(watching.file("one"))
    out = while_watching(
        ccm, (lambda: watching.write(watching.file("faulty")), f"{REFUSED}, the one before stays at work"), (repair, "")
    )
    assert "reason=the package is wrong" in out
    assert not (tmp_path / "faulty").exists()


@pytest.mark.parametrize("name", ["m.yaml", "current", "version"])
def test_each_step_of_links_to_the_manifest_is_watched(ccm, watching, tmp_path, name):
    """A link to current/m.yaml, where current is a link to a link."""
    for version, content_of in (("v1", "old\n"), ("v2", "new\n")):
        (tmp_path / version).mkdir()
        watching.write(watching.file("one", content_of))
        (tmp_path / "m.yaml").rename(tmp_path / version / "m.yaml")
    (tmp_path / "m.yaml").symlink_to("current/m.yaml")
    (tmp_path / "current").symlink_to("version")
    (tmp_path / "version").symlink_to("v1")

    def turn():
        wait_until(content(tmp_path / "one", "old\n"))
        (tmp_path / "next").symlink_to("v2/m.yaml" if name == "m.yaml" else "v2")
        (tmp_path / "next").rename(tmp_path / name)
        wait_until(content(tmp_path / "one", "new\n"))

    while_watching(ccm, (turn, ""), words=("--no-state",))


def test_a_manifest_of_a_web_server_that_is_refused_leaves_the_files_of_the_one_before(ccm, watching, tmp_path):
    (tmp_path / "site").mkdir()
    (tmp_path / "x").write_text("from the server\n")

    def publish(*resources):
        watching.write(*resources, name="manifest.yaml")
        with tarfile.open(tmp_path / "new.tgz", "w:gz") as archive:
            for name in ("manifest.yaml", "x"):
                archive.add(tmp_path / name, name)
        (tmp_path / "new.tgz").rename(tmp_path / "site/m.tgz")
        # Only files of this machine are watched.
        (tmp_path / "facts.yaml").write_text("a: b\n")

    def repair():
        (tmp_path / "one").unlink()
        wait_until(content(tmp_path / "one", "from the server\n"))

    one = {"file": [{str(tmp_path / "one"): {"ensure": "present", "source": "x", **watching.owner}}]}
    publish(one)
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path / "site"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/m.tgz"
        refuse = functools.partial(publish, one, watching.exec("two", "true", provider="nowhere"))
        steps = (refuse, REFUSED), (repair, "")
        while_watching(ccm, *steps, words=("--no-state", "--facts", "facts.yaml"), manifest=address)
        server.shutdown()
    assert not list(tmp_path.glob("manifest-*"))


def sizes(watch, watching):
    """Return how much is remembered, by what it is."""
    found = {}
    for each in (watch._remembered, watch._session, watch._status, watching.watches, watching, watching.schedule):
        for name, value in vars(each).items():
            if isinstance(value, (dict, list, set)):
                found[f"{type(each).__name__}.{name}"] = len(value)
    return found


@pytest.mark.starts_processes
@pytest.mark.soak
@pytest.mark.timeout(LIMIT + RELOADS)
def test_what_is_remembered_does_not_grow_with_reloads(ccm, watching, tmp_path, monkeypatch):
    """Of resources and of children that change their names, succeed or fail, receive values, and run commands."""
    at_work = []
    run = Watch._run
    monkeypatch.setattr("ccm.engine.watching.pace.REPAIRS", 10_000)
    monkeypatch.setattr(Watch, "_run", lambda self, work: (at_work.append((self, work)), run(self, work)))

    def write(number):
        def resources(name):
            return (
                watching.exec(f"{name} mint {number}", f"echo {number}"),
                watching.file(f"{name}{number}", f"{{{{ sent('exec#{name} mint {number}').stdout }}}}"),
                watching.exec(f"{name} ends {number}", "true" if name == "inner" else "false", meta={"delay": "1h"}),
            )

        # What a manifest that fails does not declare any more is kept until it succeeds.
        watching.write(*resources("inner"), name="child.yaml")
        watching.write(*resources("other"), name=f"child{number}.yaml")
        watching.write(*resources("top"), {"apply": [{"child.yaml": {}}, {f"child{number}.yaml": {}}]})
        (tmp_path / f"child{number - 1}.yaml").unlink(missing_ok=True)

    def reload(first, end):
        for number in range(first, end):
            write(number)
            lines = [f"exec#{name} ends {number} " for name in ("top", "inner", "other")]
            wait_until(lambda lines=lines: all(line in sys.stdout.getvalue() for line in lines))
        watch, work = at_work[0]
        wait_until(lambda: not work._is_running and work._save_at is None)
        return sizes(watch, work)

    def compare():
        before, after = reload(1, 10), reload(10, RELOADS)
        assert {name: (before[name], size) for name, size in after.items() if size > before[name]} == {}

    write(0)
    while_watching(ccm, (compare, ""), words=("--no-state", "--status-file", "status"))
