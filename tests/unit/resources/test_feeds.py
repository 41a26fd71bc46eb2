# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Providers of other packages that live as long as a run or a watching, their sources of events, what they receive."""

from __future__ import annotations

import os

import pytest

from tests.patience import wait_until
from tests.unit.layout import ROOT
from tests.unit.watching import content, rename_over, while_watching

FEED = (ROOT / "tests/unit/resources/feed_type.py").read_text(encoding="utf-8")
POLLED = "No events come, so the resource is checked within 0.2 s"


class Feeds:
    """A directory with resources of the type."""

    def __init__(self, site):
        self.site = site
        self.directory = site.work
        site.add("feed", {"feed": "feed:TYPE"}, feed=FEED)

    def apply(self, *words, **engine):
        return self.site.ccm("apply", "m.yaml", "--no-report", *words)

    def write(self, *resources, **ccm):
        listed = "".join(f"    - {each}\n" for each in resources)
        settings = "".join(f"  {name}: {value}\n" for name, value in ccm.items())
        (self.directory / "new").write_text(f"ccm:\n{settings}  resources:\n{listed}", encoding="utf-8")
        (self.directory / "new").rename(self.directory / "m.yaml")

    def notes(self):
        path = self.directory / "notes"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def count(self, note):
        return self.notes().count(note)

    def checks(self, name="a"):
        return sum(note.startswith(f"status {name} ") for note in self.notes())

    def happen(self, what):
        """Write to the FIFO."""
        fd = os.open(self.directory / "events", os.O_WRONLY)
        os.write(fd, what)
        os.close(fd)


@pytest.fixture
def feeds(site):
    return Feeds(site)


@pytest.fixture
def events(feeds, monkeypatch):
    os.mkfifo(feeds.directory / "events")
    monkeypatch.setattr("ccm.engine.watching.event_sources.POLL_SECONDS", 0.2)
    feeds.write("feed: {name: a, text: new}")
    return feeds


@pytest.mark.parametrize(
    ("engine", "most"),
    [("{}", 1), ("{order: graph}", 1), ("{order: graph, parallel: 3}", 4)],
    ids=["list", "graph", "threads"],
)
def test_a_provider_with_close_lives_as_long_as_the_run(feeds, engine, most):
    feeds.write(*(f"feed: {{name: {name}, text: new}}" for name in "abcdef"), engine=engine)
    ran = feeds.apply()
    assert (ran.returncode, ran.stdout.count("changed ensure=present")) == (0, 6)
    notes = feeds.notes()
    assert 1 <= notes.count("open") <= most
    assert notes.count("close") == notes.count("open")
    assert notes[-1] == "close"


def test_a_resource_with_noop_of_its_own_has_another_instance_which_is_closed_too(feeds):
    feeds.write(
        "feed: {name: a, text: new}", "feed: {name: b, text: new, meta: {noop: true}}", "feed: {name: c, text: new}"
    )
    assert "feed#b changed ensure=present" in feeds.apply().stdout
    assert not (feeds.directory / "b").exists()
    assert (feeds.count("open"), feeds.count("close")) == (2, 2)


def test_an_applied_manifest_uses_the_instances_of_the_run(feeds):
    feeds.write("feed: {name: a, text: new}")
    (feeds.directory / "m.yaml").rename(feeds.directory / "child.yaml")
    feeds.write("apply: {name: child.yaml}", "apply: {name: child.yaml, alias: again}", "feed: {name: b, text: new}")
    assert feeds.apply().returncode == 0
    assert (feeds.count("open"), feeds.count("close")) == (1, 1)


@pytest.mark.parametrize(
    "words", [("ensure", "feed", "a", "--text", "new"), ("status", "feed", "a")], ids=lambda words: words[0]
)
def test_other_commands_close_it(feeds, words):
    assert feeds.site.ccm(*words).returncode == 0
    assert (feeds.count("open"), feeds.count("close")) == (1, 1)


@pytest.mark.parametrize(
    ("fault", "reason"), [("unclosable", "raised RuntimeError"), ("endless", "did not end within 0.5 seconds")]
)
def test_a_fault_in_close_is_a_warning(feeds, fault, reason):
    (feeds.directory / fault).touch()
    feeds.write("feed: {name: a, text: new}")
    ran = feeds.apply()
    assert ran.returncode == 0
    assert "WARN  A provider could not be closed provider=file" in ran.stdout
    assert f"close of the provider file of the package feed 1.0.0 {reason}" in ran.stdout


def test_a_provider_lives_as_long_as_the_watching_and_serves_each_step(feeds, events, ccm):
    def twice():
        for _time in range(2):
            before = feeds.checks()
            (feeds.directory / "a").unlink()
            feeds.happen(b"1")
            # It is read before and after it is written.
            wait_until(lambda before=before: feeds.checks() == before + 2)

    out = while_watching(ccm, (twice, ""))
    assert out.count("feed#a changed") == 3
    assert (feeds.count("open"), feeds.count("close"), feeds.notes()[-1]) == (1, 1, "close")
    assert feeds.count("begin") >= 3
    assert (feeds.count("watch"), feeds.count("unwatch")) == (1, 1)


def test_an_instance_serves_manifests_that_are_read_again(feeds, events, ccm):
    def reload():
        feeds.write("feed: {name: a, text: new}", "feed: {name: b, text: other}")
        wait_until(content(feeds.directory / "b", "other"))

    while_watching(ccm, (reload, "The manifest was read again"))
    assert (feeds.count("open"), feeds.count("close")) == (1, 1)
    assert (feeds.count("watch"), feeds.count("unwatch")) == (2, 2)


def test_events_that_mean_nothing_lead_to_no_check(feeds, events, ccm):
    found = []

    def nothing_then_something():
        wait_until(lambda: feeds.count("watch") == 1)
        before = feeds.checks()
        feeds.happen(b"0")
        wait_until(lambda: not _has_bytes(feeds))
        feeds.happen(b"1")
        wait_until(lambda: feeds.checks() > before)
        found.append(feeds.checks() - before)

    while_watching(ccm, (nothing_then_something, ""))
    assert found == [1]


def _has_bytes(feeds):
    """Return whether the FIFO has something that was not read."""
    import fcntl
    import struct
    import termios

    fd = os.open(feeds.directory / "events", os.O_RDONLY | os.O_NONBLOCK)
    try:
        return struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, b"\0" * 4))[0] > 0
    finally:
        os.close(fd)


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        (b"!", "read of the events of the type feed of the package feed 1.0.0 raised RuntimeError"),
        (b"s", "read of the events of the type feed of the package feed 1.0.0 did not end within 0.5 seconds"),
    ],
    ids=["fails", "sleeps"],
)
def test_a_source_that_fails_is_opened_again_after_a_check(feeds, events, ccm, what, reason):
    def fail():
        feeds.happen(what)
        wait_until(lambda: feeds.count("watch") == 2)
        (feeds.directory / "a").unlink()
        feeds.happen(b"1")
        wait_until(content(feeds.directory / "a", "new"))

    out = while_watching(ccm, (fail, f"{POLLED} resource=feed#a"))
    assert reason in out
    assert "may be a secret" not in out
    assert out.count(POLLED) == 1


def test_a_source_that_cannot_be_opened_is_tried_again_with_one_warning(feeds, events, ccm):
    (feeds.directory / "refused").touch()

    def allow():
        before = feeds.checks()
        wait_until(lambda: feeds.checks() > before + 1)
        (feeds.directory / "refused").unlink()
        wait_until(lambda: feeds.count("watch") == 1)

    out = while_watching(ccm, (allow, POLLED))
    assert out.count(POLLED) == 1
    assert "raised ConnectionRefusedError: connection refused" in out


def test_events_that_never_end_hold_up_no_other_resource(feeds, events, ccm):
    path = feeds.directory / "file"
    owner = f"owner: {os.getuid()}, group: {os.getgid()}"
    file = f"file: {{name: {path}, ensure: present, content: text, {owner}, mode: '0644'}}"
    feeds.write("feed: {name: a, text: new}", file)

    def endless():
        feeds.happen(b"f")
        before = feeds.checks()
        wait_until(lambda: feeds.checks() > before + 3)
        path.unlink()
        wait_until(content(path, "text"))

    while_watching(ccm, (endless, ""))
    assert feeds.notes()[-1] == "close"


def test_a_path_without_notices_is_looked_at_as_often_as_the_type_says(feeds, ccm, monkeypatch):
    polled = feeds.directory / "polled"
    monkeypatch.setattr("ccm.engine.watching.watches.silent_filesystems", lambda: [(str(feeds.directory), "proc")])
    feeds.write(f"feed: {{name: a, text: new, polled: {polled}}}")

    def lose():
        (feeds.directory / "a").unlink()
        wait_until(content(feeds.directory / "a", "new"))

    warning = "Some paths cannot be watched, and are checked every 0.1 s reason=the file system proc reports no changes"
    assert while_watching(ccm, (lose, warning)).count(warning) == 1


@pytest.mark.starts_processes
def test_a_received_value_says_whether_it_has_changed(feeds, events, ccm):
    source = feeds.directory / "source"
    source.write_text("one")
    feeds.write(
        f"exec: {{name: read, command: cat {source}, meta: {{watch_files: [{source}]}}}}",
        "feed: {name: a, text: \"${ sent('exec#read').stdout }\"}",
    )

    def change():
        wait_until(content(feeds.directory / "a", "one"))
        before = feeds.checks()
        feeds.happen(b"1")
        wait_until(lambda: feeds.checks() > before)
        rename_over(source)
        wait_until(content(feeds.directory / "a", "other"))

    while_watching(ccm, (change, ""))
    notes = [note for note in feeds.notes() if note.startswith("status a")]
    first, again, changed = notes[0], notes[2], next(note for note in notes[3:] if "True" in note)
    assert first == changed == "status a {'text': True}"
    assert again == "status a {'text': False}"
