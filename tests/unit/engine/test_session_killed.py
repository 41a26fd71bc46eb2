# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs that share a session, ended by SIGKILL or another signal: events are complete, and the next run continues.

The first test prints how many of the ended runs left a hidden file.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time

import pytest

from tests.patience import LIMIT, PATIENCE
from tests.seed import chance
from tests.unit.kills import ARE_MANY, KILLS, kill_before, signal_after, spread, status_after, steps_of
from tests.unit.layout import CCM

pytestmark = pytest.mark.starts_processes

SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT]


class Store:
    """A session, and a manifest whose resources depend on each other's events in the session."""

    def __init__(self, directory):
        self.path = directory / "session"
        self.path.mkdir()
        self.file = directory / "app.conf"
        self.manifest = directory / "m.yaml"
        owner = {"owner": str(os.geteuid()), "group": str(os.getegid())}
        resources = [
            {"file": [{str(self.file): {"ensure": "present", "content": "new\n", "mode": "0600", **owner}}]},
            {"exec": [{"restart": {"command": "true", "subscribe": [f"file#{self.file}"], "refreshonly": True}}]},
            {"exec": [{"last": {"command": "true", "require": ["exec#restart"]}}]},
        ]
        self.manifest.write_text(json.dumps({"ccm": {"resources": resources}}))
        self.words = ["apply", str(self.manifest), "--session", str(self.path), "--no-report"]

    def clear(self):
        self.file.unlink(missing_ok=True)
        for path in self.path.iterdir():
            path.unlink()

    def signal_after(self, seconds, number):
        process = subprocess.Popen([*CCM, *self.words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return signal_after(process, seconds, number) != 0

    def hidden(self):
        return [name for name in os.listdir(self.path) if name.startswith(".")]

    def events(self):
        """Return the events of resources; each visible file must contain a complete record."""
        visible = sorted(name for name in os.listdir(self.path) if not name.startswith("."))
        assert all(len(name) == 33 and name.endswith(".event") for name in visible), visible
        records = [json.loads((self.path / name).read_text()) for name in visible]
        return [record for record in records if "requested_ensure" in record]

    def reported(self):
        done = subprocess.run(
            [*CCM, "session", "report", "--json", "--session", str(self.path)], capture_output=True, check=True
        )
        return json.loads(done.stdout)


@pytest.mark.soak
@pytest.mark.timeout(LIMIT + PATIENCE * KILLS)
def test_a_kill_at_any_moment_leaves_no_partial_event(tmp_path):
    store = Store(tmp_path)
    begin = time.monotonic()
    steps = steps_of(store.words)
    whole = time.monotonic() - begin
    drawn = chance("session")
    ended = with_hidden_file = 0
    for turn, step in enumerate(spread(drawn, KILLS, 1, len(steps))):
        if turn % 2 == 0:
            store.clear()
            kill_before(step, store.words)
            ended += 1
        elif ARE_MANY:
            ended += store.signal_after(drawn.uniform(0, whole), drawn.choice(SIGNALS))
        else:
            ended += status_after(step, SIGNALS[turn // 2 % len(SIGNALS)], store.words) != 0
        with_hidden_file += bool(store.hidden())
        before = len(store.events())
        assert store.reported()["total_resources"] == before
        subprocess.run([*CCM, *store.words], check=True, capture_output=True)
        assert (len(store.events()), store.hidden()) == (before + 3, [])
        assert [event["failed"] for event in store.events()[before:]] == [False] * 3
        assert store.file.read_text() == "new\n"
    print(f"{ended} ended, {with_hidden_file} left a hidden file")
    assert with_hidden_file


@pytest.mark.soak
@pytest.mark.timeout(LIMIT + PATIENCE * KILLS)
def test_removal_of_a_session_continues_after_a_kill(tmp_path):
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    words = ["session", "report", "--remove", "--session", str(tmp_path / "session")]
    store = Store(tmp_path)
    subprocess.run([*CCM, *store.words], check=True, capture_output=True)
    last = len(steps_of(words, env=environment))
    for step in spread(chance("removal"), KILLS // 4 + 1, 1, last):
        store.path.mkdir(exist_ok=True)
        subprocess.run([*CCM, *store.words], check=True, capture_output=True)
        kill_before(step, words, env=environment)
        subprocess.run([*CCM, *words], env=environment, check=True, capture_output=True)
        assert not store.path.exists()
