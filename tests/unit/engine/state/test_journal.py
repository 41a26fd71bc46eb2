# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The store of one manifest: its place, its content with the journal, what is damaged, and what is removed from it."""

from __future__ import annotations

import os
import pathlib

import pytest
from ccm.engine.state import own_files
from ccm.engine.state import stored_files as stored
from ccm.engine.state.journal import Journal
from ccm.engine.state.lines import VERSION, LaterVersion
from ccm.engine.state.manifests import forget
from ccm.engine.state.own_files import MARKS, SENT_FILES, VOID_MARKS, digest_of_key, mark
from ccm.engine.state.records import Doubt, JournalBeginning, Kept, KeptBefore, Owed, Settled
from ccm.engine.state.stored_files import stored_files
from ccm.engine.state_directory import StateDirectory
from ccm.host.hidden_files import HiddenFile
from ccm.resources.undone.undo_record import UndoRecord
from ccm.testing import RecordedLog

from tests.unit.stored import journal_of, words_in, write_words

#: A refresh that is owed.
OWED = Owed("1", "exec#it", "file#a", "now")
UNREADABLE, MISSING = (
    "Lines of the state of earlier runs cannot be read",
    "Lines of the state of earlier runs are missing",
)
NOT_USED = "The state of earlier runs is damaged, and is not used"
PUT_ASIDE = "The state of earlier runs is damaged, and was put aside"


@pytest.fixture
def store(tmp_path):
    return another(tmp_path)


def mark_stable(store, digest):
    mark(store.directory.opened(), f"stable-{digest}-some.stamp")


def another(tmp_path):
    """Return the store of another run of the same manifest."""
    return Journal(StateDirectory(str(tmp_path / "root"), "/m.yaml", RecordedLog()))


def path_of(store, name):
    return pathlib.Path(store.directory.path, name)


def messages(store):
    return [(message, fields) for _level, message, fields in store.directory.log.lines]


def said(store):
    """Return the messages without their fields."""
    return [message for message, _fields in messages(store)]


def set_digest(text, settled=""):
    def change(saved):
        saved.digest, saved.settled = text, settled

    return change


def owed_by(*ids):
    return [Owed(id, "exec#it", f"file#{id}", "now") for id in ids]


def test_an_unchanged_run_needs_only_the_digest(store):
    assert stored_files(store.directory).digests == ("", "")
    store.save(set_digest("ab", "cd"))
    assert stored_files(store.directory).digests == ("ab", "cd")
    store.note([OWED])
    assert stored_files(store.directory).digests == ("", "")
    store.save(set_digest("cd"))
    assert (stored_files(store.directory).digests, list(store.read().owed)) == (("", ""), ["1"])
    store.note([Settled("1")])
    store.save(set_digest("ef"))
    assert stored_files(store.directory).digests == ("ef", "")


def test_a_run_that_changed_nothing_leaves_an_empty_file(store):
    store.save(set_digest("ab", "cd"))
    store.save(lambda saved: (saved.reach("file#a", "", ["w", "r", "f", "drift"]), set_digest("ab", "cd")(saved)))
    before = path_of(store, "state").read_bytes()
    assert stored_files(store.directory).digests == ("ab", "cd")
    mark_stable(store, "cd")
    assert stored_files(store.directory).digests == ("cd", "")
    assert path_of(store, "state").read_bytes() == before
    saved = store.read()
    assert (saved.digest, saved.settled, saved.entry("file#a")) == ("cd", "", ["", "w", "r"])
    store.save(set_digest("ef", "gh"))
    assert not any(name.startswith("stable-") for name in store.directory.names())


def test_the_empty_file_of_an_earlier_state_says_nothing(store):
    store.save(set_digest("ab", "cd"))
    mark_stable(store, "other")
    assert (store.read().digest, store.read().settled) == ("ab", "cd")


def test_the_journal_is_part_of_what_was_saved(store):
    store.note([OWED])
    store.note([Doubt("1")])
    saved = store.read()
    assert (saved.identity, saved.owed["1"].is_doubtful) == ("/m.yaml", True)
    assert store.save(set_digest("ab")).owed["1"].is_doubtful
    assert own_files.content_of(store.directory.opened(), "journal") is None
    assert store.read().owed["1"].cause == "file#a"
    assert messages(store) == []


def test_a_note_without_records_names_the_manifest(store):
    store.note([])
    ((kind, _stamp, identity),) = words_in(path_of(store, "journal"))
    assert (kind, identity, store.read().identity) == ("journal", "/m.yaml", "/m.yaml")


@pytest.mark.parametrize("cut", [1, 9, 30])
def test_a_line_that_a_power_failure_cut_off_loses_no_later_one(store, cut):
    store.note(owed_by("1", "2"))
    os.truncate(path_of(store, "journal"), path_of(store, "journal").stat().st_size - cut)
    store.note(owed_by("3"))
    assert list(store.read().owed) == (["1", "2", "3"] if cut == 1 else ["1", "3"])
    assert said(store) == [MISSING if cut == 1 else UNREADABLE]


def test_lines_that_cannot_be_read_are_counted(store):
    path = path_of(store, "journal")
    store.note([])
    write_words(path, journal_of("/m.yaml", OWED.line(), ["what", "is", "this"], ["owe", "too short"]))
    assert list(store.read().owed) == ["1"]
    assert messages(store) == [(UNREADABLE, {"file": str(path), "lines": 2})]


@pytest.mark.parametrize("content", [b"ccm-state\tx\n", b"", b"damaged", b"ccm-state\t3\t"])
def test_a_damaged_file_is_not_used_and_put_aside_by_what_writes(store, content):
    store.save(set_digest("ab"))
    path = path_of(store, "state")
    path.write_bytes(content)
    assert (stored_files(store.directory).digests, store.read().digest) == (("", ""), "")
    assert messages(store) == [(NOT_USED, {"file": str(path)})]
    store.save(set_digest("cd"))
    (message, fields) = messages(store)[-1]
    assert message == PUT_ASIDE
    assert pathlib.Path(fields["file"]).read_bytes() == content
    assert stored_files(store.directory).digests == ("cd", "")


def test_a_file_is_put_aside_twice(store):
    asides = []
    for content in (b"one", b"two"):
        store.save(set_digest("ab"))
        path_of(store, "state").write_bytes(content)
        store.read(mends=True)
        asides.append(messages(store)[-1][1]["file"])
    assert [pathlib.Path(path).read_bytes() for path in asides] == [b"one", b"two"]
    assert said(store) == [PUT_ASIDE, PUT_ASIDE]
    store.read(mends=True)
    assert len(messages(store)) == 2


@pytest.mark.parametrize("name", ["state", "journal"])
def test_a_file_that_is_damaged_leaves_the_other_one_its_own(store, name):
    store.note(owed_by("1"))
    store.save(set_digest("ab"))
    store.note(owed_by("2"))
    path_of(store, name).write_bytes(b"damaged")
    saved = store.read(mends=True)
    assert list(saved.owed) == (["2"] if name == "state" else ["1"])
    assert (said(store), saved.digest) == ([PUT_ASIDE], "")
    assert list(store.read().owed) == list(saved.owed)


def test_a_saved_state_without_its_end_is_used(store):
    store.save(set_digest("ab"))
    path = path_of(store, "state")
    whole = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(whole[:-1]))
    assert store.read().identity == "/m.yaml"
    assert messages(store) == [(MISSING, {"file": str(path)})]
    store.read(mends=True)
    assert pathlib.Path(messages(store)[-1][1]["file"]).read_bytes() == b"".join(whole[:-1])
    assert words_in(path)[-1] == ["end"]


@pytest.mark.parametrize("left", [0, 1, 2])
def test_a_journal_that_lost_its_end_is_noticed(store, left):
    """Its size is noted in the file that is locked."""
    store.note(owed_by("1"))
    store.note(owed_by("2", "3"))
    path = path_of(store, "journal")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:left]))
    assert list(store.read().owed) == ["1"][: left - 1]
    assert messages(store) == [(MISSING if left else NOT_USED, {"file": str(path)})]
    another_store = Journal(StateDirectory(store.directory.root, "/m.yaml", RecordedLog()))
    another_store.read(mends=True)
    assert said(another_store) == [MISSING if left else PUT_ASIDE]
    another_store.read(mends=True)
    assert len(messages(another_store)) == 1


def test_a_journal_that_is_gone_is_noticed(store):
    store.note(owed_by("1"))
    path_of(store, "journal").unlink()
    store.read()
    assert said(store) == [NOT_USED]


def test_a_journal_that_is_longer_than_noted_is_whole(store):
    """A run was killed before it noted the size."""
    store.note(owed_by("1"))
    noted = path_of(store, "lock").read_bytes()
    store.note(owed_by("2"))
    path_of(store, "lock").write_bytes(noted)
    assert (list(store.read().owed), messages(store)) == (["1", "2"], [])


@pytest.mark.parametrize("noted", [b"", b"strange", b"a 1 b", b"a x", b"\xff 1000", b" " * 100])
def test_what_is_noted_may_be_strange(store, noted):
    store.note(owed_by("1"))
    path_of(store, "lock").write_bytes(noted)
    found = messages(store) if noted != b"\xff 1000" else []
    assert (list(store.read().owed), found) == (["1"], [])


def save_without_removing(store):
    """Save as a run that was killed between its last two steps: it did not remove the journal."""
    store.note(owed_by("1"))
    journal = path_of(store, "journal").read_bytes()
    store.note([Settled("1")])
    store.save(set_digest("ab"))
    path_of(store, "journal").write_bytes(journal)
    path_of(store, "journal").chmod(0o600)


def test_a_saved_journal_that_is_still_there_is_not_followed_again(store):
    save_without_removing(store)
    assert (store.read().owed, messages(store)) == ({}, [])


def test_what_is_noted_after_a_saved_journal_that_is_still_there_counts(store):
    """The next run adds to that journal."""
    save_without_removing(store)
    store.note(owed_by("2"))
    assert list(store.read().owed) == ["2"]
    assert list(store.save(set_digest("cd")).owed) == ["2"]


@pytest.mark.parametrize(
    "call", [Journal.read, lambda store: stored_files(store.directory).digests], ids=["read", "digests"]
)
def test_another_run_may_write_between_the_readings_of_two_files(store, tmp_path, monkeypatch, call):
    """What is read together is of different times then, but nothing of it is damaged."""
    other, read = another(tmp_path), stored.content_of
    store.note(owed_by("1"))

    def noted_before(opened, name, *size):
        if name in ("state", "lock"):
            monkeypatch.setattr(stored, "content_of", read)
            other.note(owed_by("2"))
        return read(opened, name, *size)

    monkeypatch.setattr(stored, "content_of", noted_before)
    call(store)
    assert messages(store) == []


@pytest.mark.parametrize("is_saved", [False, True])
def test_a_first_note_between_the_readings_of_two_files_is_no_damage(store, tmp_path, monkeypatch, is_saved):
    other, read = another(tmp_path), stored.content_of
    if is_saved:
        store.save(set_digest("ab"))

    def noted_before(opened, name, *size):
        found = read(opened, name, *size)
        if name == "journal":
            monkeypatch.setattr(stored, "content_of", read)
            other.note(owed_by("2"))
        return found

    monkeypatch.setattr(stored, "content_of", noted_before)
    store.read()
    assert messages(store) == []


def change(key="file#/a", mode="0600"):
    return UndoRecord(
        key,
        declared=[("m.yaml", "1f", key)],
        number=1,
        since="now",
        type="file",
        name="/a",
        given={},
        before={"mode": mode},
        reached={},
    )


def test_two_runs_at_once_keep_the_first_reading(store, tmp_path):
    other = another(tmp_path)
    store.note([KeptBefore.of("a-1", change())])
    other.note([KeptBefore.of("b-1", change(mode="0644"))])
    store.note([Kept.of("a-1", change())])
    store.save(set_digest(""))
    saved = other.save(set_digest(""))
    ((_ids, found),) = saved.changes().values()
    assert found.before == {"mode": "0600"}


def test_a_file_of_a_later_version_is_left_alone(store):
    store.save(set_digest("ab"))
    state = path_of(store, "state")
    state.write_text(f"ccm-state\t{VERSION + 1}\tab\t0\nend\n")
    before = {path.name: path.read_bytes() for path in state.parent.iterdir()}
    for call in (
        lambda: stored_files(store.directory).digests,
        store.read,
        lambda: store.save(set_digest("cd")),
        lambda: store.note([OWED]),
    ):
        with pytest.raises(LaterVersion) as caught:
            call()
        message = f"{state} was written by a later version of ccm (format {VERSION + 1}, this one knows {VERSION})"
        assert caught.value.message == message
    assert {path.name: path.read_bytes() for path in state.parent.iterdir()} == before


def test_a_journal_of_a_later_version_is_left_alone(store):
    store.note([OWED])
    journal = path_of(store, "journal")
    later = b"ccm-state\t%d\t0123\t0\tjournal\n" % (VERSION + 1)
    journal.write_bytes(later)
    calls = (store.read, lambda: store.save(set_digest("cd")), lambda: store.note([OWED]))
    for call in (lambda: stored_files(store.directory).digests, *calls):
        with pytest.raises(LaterVersion, match=f"^{journal} was written by a later version"):
            call()
    assert journal.read_bytes() == later


FORMER_STATE = b"ccm-state\t2\tab12\t1\nmanifest\t/m.yaml\nowe\t1\texec#it\tfile#a\tnow\nend\n"
FORMER_JOURNAL = b"\nmanifest\t/m.yaml\n\nowe\t2\texec#it\tfile#b\tnow\n"


def write_former(store, *, state=FORMER_STATE, journal=FORMER_JOURNAL):
    store.note([])
    path_of(store, "lock").write_bytes(b"")
    for name, text in (("state", state), ("journal", journal)):
        path_of(store, name).unlink(missing_ok=True)
        if text:
            path_of(store, name).write_bytes(text)
            path_of(store, name).chmod(0o600)


def test_a_former_format_is_read_and_left_as_it_is(store):
    write_former(store)
    saved = store.read(mends=True)
    assert (list(saved.owed), stored_files(store.directory).digests) == (["1", "2"], ("", ""))
    assert path_of(store, "state").read_bytes() == FORMER_STATE
    assert messages(store) == []


@pytest.mark.parametrize("files", [{}, {"journal": b""}, {"state": b""}])
def test_the_first_note_rewrites_a_former_format(store, files):
    write_former(store, **files)
    earlier = list(store.read().owed)
    store.note(owed_by("3"))
    saved = store.read()
    assert (list(saved.owed), saved.identity, messages(store)) == ([*earlier, "3"], "/m.yaml", [])
    saved = store.save(set_digest("cd"))
    assert list(saved.owed) == [*earlier, "3"]
    assert {words[0] for words in words_in(path_of(store, "state"))} == {"state", "manifest", "written", "owe", "end"}
    assert not path_of(store, "journal").exists()


def test_a_damaged_former_format_is_put_aside_and_the_rest_used(store):
    write_former(store, state=FORMER_STATE.replace(b"end\n", b"\xff\nwhat\n"))
    saved = store.read(mends=True)
    assert (list(saved.owed), said(store)) == (["1", "2"], [UNREADABLE])
    assert messages(store)[0][1]["lines"] == 2


def test_values_of_resources_that_are_gone_are_removed_a_day_later(store):
    store.save(set_digest("ab"))
    here, gone = digest_of_key("exec#here"), digest_of_key("exec#gone")
    names = [f"{SENT_FILES}{here}", f"{SENT_FILES}{gone}", f"{SENT_FILES}{here}-ab12", "before-0123"]
    names += [f"{VOID_MARKS}{here}", f"{VOID_MARKS}{gone}"]
    for name in names:
        path_of(store, name).touch()
        os.utime(path_of(store, name), (0, 0))
    path_of(store, "before-new").touch()
    store.save(lambda saved: saved.reach("exec#here", "", ["1", "2"]))
    left = {path.name for path in path_of(store, "").iterdir()} & {*names, "before-new"}
    assert left == {names[0], names[2], names[4], "before-new"}


def test_contents_that_a_change_needs_stay(store):
    kept = change()
    kept.before = {"/a": ["file", 33188, 0, 0, "ab" * 32]}
    store.note([KeptBefore.of("1", kept)])
    for name in (f"before-{'ab' * 16}", f"before-{'cd' * 16}"):
        path_of(store, name).touch()
        os.utime(path_of(store, name), (0, 0))
    store.save(set_digest("ab"))
    assert [path.name for path in path_of(store, "").glob("before-*")] == [f"before-{'ab' * 16}"]


def test_a_content_is_on_disk_before_the_record_that_needs_it(store, monkeypatch):
    name = f"before-{'ab' * 16}"
    seen = []
    append = Journal._append

    def noted(self, locked, records):
        seen.append(path_of(store, name).read_bytes())
        return append(self, locked, records)

    monkeypatch.setattr(Journal, "_append", noted)
    store.note([KeptBefore.of("1", change())], {name: b"what was there"})
    assert seen == [b"what was there"]


def test_a_content_that_is_not_needed_any_more_stays_for_a_day(store):
    name = f"before-{'ab' * 16}"
    store.note([], {name: b"what was there"})
    os.utime(path_of(store, name), (0, 0))
    store.note([], unneeded=[name, "before-none"])
    store.save(set_digest("ab"))
    assert path_of(store, name).exists()
    os.utime(path_of(store, name), (0, 0))
    store.save(set_digest("cd"))
    assert not path_of(store, name).exists()


@pytest.mark.parametrize(("name", "other"), [("state", "journal"), ("journal", "state")])
def test_the_beginning_of_the_other_file_is_damage(store, name, other):
    store.save(set_digest("ab"))
    store.note(owed_by("1"))
    path_of(store, name).write_bytes(path_of(store, other).read_bytes())
    store.read()
    assert UNREADABLE in said(store)


def test_hidden_files_of_killed_runs_go_with_each_save(store):
    store.save(set_digest("ab"))
    path_of(store, ".state.ccm-new").touch()
    path_of(store, ".before-0123.ccm-new").touch()
    directory = os.open(store.directory.path, os.O_RDONLY)
    with HiddenFile(directory, "sent-4567") as used:
        store.save(set_digest("cd"))
        assert [path.name for path in path_of(store, "").glob(".*")] == [used.name]
    os.close(directory)


def test_a_mark_goes_once_records_say_as_much(store):
    store.save(lambda saved: saved.reach("file#/a", "", ["w", "r"]))
    name = f"{MARKS}{digest_of_key('file#/a')}"
    mark(store.directory.opened(), name)
    assert store.read().marks == {digest_of_key("file#/a")}
    store.save(set_digest("ab"))
    assert path_of(store, name).exists()
    store.save(lambda saved: saved.noted_marks.add(digest_of_key("file#/a")))
    assert (store.read().marks, path_of(store, name).exists()) == (set(), False)


def test_a_mark_that_a_run_did_not_read_stays(store, tmp_path):
    """A run without state changed something after this run read what earlier ones left."""
    store.save(lambda saved: saved.reach("file#/a", "", ["w", "r"]))
    store.read()
    mark(another(tmp_path).directory.opened(), f"{MARKS}{digest_of_key('file#/a')}")
    store.save(set_digest("ab"))
    assert another(tmp_path).read().marks == {digest_of_key("file#/a")}


@pytest.mark.parametrize("way", ["note", "mends"])
def test_a_mark_stays_when_a_run_only_rewrites_what_it_found(store, way):
    """It does not note before its end what the mark says, and may be killed."""
    if way == "note":
        write_former(store)
    else:
        store.save(set_digest("ab"))
        with open(path_of(store, "state"), "ab") as file:
            file.write(b"damaged")
    mark(store.directory.opened(), f"{MARKS}0123")
    if way == "note":
        store.note([OWED])
    else:
        store.read(mends=True)
    assert store.read().marks == {"0123"}


def test_what_was_forgotten_is_not_missed(store):
    """The directory stays, because it has other files; so does the file that is locked."""
    store.note(owed_by("1"))
    path_of(store, "notes").touch()
    forget(store.directory.root, "/m.yaml")
    store.read()
    assert messages(store) == []


def test_the_journal_names_its_manifest_also_when_the_name_is_strange(tmp_path):
    store = Journal(StateDirectory(str(tmp_path), "/a\tb\n\ud800", RecordedLog()))
    store.note([])
    assert store.read().identity == "/a\tb\n\ud800"
    (words,) = words_in(path_of(store, "journal"))
    assert words == JournalBeginning(words[1], store.directory.identity).line()
