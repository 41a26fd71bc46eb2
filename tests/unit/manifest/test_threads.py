# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs in threads of one process do not share state: the process keeps nothing about the host."""

from __future__ import annotations

import concurrent.futures
import os

import pytest
from ccm.engine.session import Session
from ccm.host.machine import Machine
from ccm.manifest.loader import Inputs
from ccm.manifest.reader import read_manifest
from ccm.model.log import Log
from ccm.testing import RecordedLog

from tests.unit.engine.recorder import Recorder
from tests.unit.manifest.runs import run_manifest

RUNS = 50
#: Fields that differ between runs, of an event and of the state of a file.
VOLATILE = ("event_id", "timestamp", "duration")
MANIFEST = """
data: {{number: {number}}}
ccm:
  resources:
    - file: [{{"{root}/plain": {{ensure: present, content: "{{{{ Data.number }}}}", {owner}, mode: "{mode}"}}}}]
    - file: [{{"{root}/copy": {{ensure: present, source: source, {owner}, mode: "0600"}}}}]
    - exec: [{{"pwd": {{cwd: "{root}", logoutput: true}}}}]
    - exec: [{{"touch relative": {{cwd: "{root}", creates: "{root}/relative"}}}}]
    - exec: [{{"sh -c 'umask > asked'": {{cwd: "{root}", subscribe: ["file#{root}/plain"]}}}}]
    - file: [{{"{root}/after": {{ensure: directory, {owner}, mode: "0750", require: ["file#{root}/plain"]}}}}]
    - scaffold: [{{"{root}/tree": {{ensure: present, source: templates, engine: jet}}}}]
    - apply: [{{child.yaml: {{data: {{number: {number}}}}}}}]
    - file: [{{"{root}/wrong": {{ensure: present, content: x, owner: nobody-{number}, group: root, mode: "0600"}}}}]
"""
CHILD = """
ccm:
  resources:
    - exec: [{{"sh -c 'echo {{{{ Data.number }}}} > child'": {{cwd: "{root}", creates: "{root}/child"}}}}]
"""


def write_files(root, number):
    root.mkdir()
    owner = f"owner: '{os.geteuid()}', group: '{os.getegid()}'"
    text = MANIFEST.format(root=root, number=number, owner=owner, mode=f"06{number % 8}0")
    (root / "m.yaml").write_text(text)
    (root / "child.yaml").write_text(CHILD.format(root=root))
    (root / "source").write_text(f"source {number}\n" * 1000)
    (root / "templates").mkdir()
    (root / "templates/a").write_text("number [[ .Data.number ]]\n")


def apply(root):
    """Return the events and the log of two runs without times and ids, and the files after them."""
    results = []
    for _run in range(2):
        log, recorder = RecordedLog(), Recorder()
        manifest = read_manifest(
            (root / "m.yaml").read_bytes(), "m.yaml", str(root), Inputs(facts={}, environ={"HOME": "/"})
        )
        run_manifest(manifest, Session(), Machine(), log=Log(), user_log=log, sinks=[recorder])
        events = [plain(event.as_dict(), root) for event in recorder.events]
        results.append([events, [level for level, _message, _fields in log.lines]])
    return results, existing_files(root)


def plain(value, root):
    if isinstance(value, dict):
        kept = {key: plain(each, root) for key, each in value.items() if key not in VOLATILE}
        return {key: each for key, each in kept.items() if key != "mtime"}
    if isinstance(value, list):
        return [plain(each, root) for each in value]
    return value.replace(str(root), "ROOT") if isinstance(value, str) else value


def existing_files(root):
    found = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        text = path.read_text().replace(str(root), "ROOT") if path.is_file() else None
        found[name] = (oct(path.stat().st_mode), text)
    return found


@pytest.mark.starts_processes
def test_fifty_manifests_in_threads_do_the_same_as_one_after_the_other(tmp_path):
    before = (os.getcwd(), os.stat("."))
    for way in ("alone", "together"):
        (tmp_path / way).mkdir()
        for number in range(RUNS):
            write_files(tmp_path / way / str(number), number)
    alone = [apply(tmp_path / "alone" / str(number)) for number in range(RUNS)]
    with concurrent.futures.ThreadPoolExecutor(RUNS) as pool:
        together = list(pool.map(apply, [tmp_path / "together" / str(number) for number in range(RUNS)]))
    for number in range(RUNS):
        assert together[number] == alone[number], number
    first, second = alone[7][0]
    assert [event["changed"] for event in first[0]] == [True, True, True, True, True, True, True, True, True, False]
    assert not any(event["changed"] for event in second[0] if event["type"] == "file")
    assert alone[7][1]["child"][1] == "7\n"
    assert (os.getcwd(), os.stat(".").st_ino) == (before[0], before[1].st_ino)


def test_each_run_has_its_own_cache_of_owners(monkeypatch):
    """One run changes the number of an account; another run at the same time keeps the old number."""
    first, second = Machine(), Machine()
    numbers = {"bob": 2000}
    monkeypatch.setattr("pwd.getpwnam", lambda name: type("Entry", (), {"pw_uid": numbers[name]}))
    assert (first.owners.uid_of("bob"), second.owners.uid_of("bob")) == (2000, 2000)
    numbers["bob"] = 3000
    first.record_change()
    assert (first.owners.uid_of("bob"), second.owners.uid_of("bob")) == (3000, 2000)
