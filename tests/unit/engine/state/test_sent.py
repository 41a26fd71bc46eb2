# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that resources sent last are kept in files, and go with their resources."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess

import pytest
from ccm.engine.sent import ValueLost
from ccm.engine.state.sent import SentFiles
from ccm.engine.state_directory import StateDirectory
from ccm.testing import RecordedLog

from tests.unit.engine.lamp_type import lamp
from tests.unit.layout import CCM
from tests.unit.manifest.sending import RECEIVED, Site
from tests.unit.stored import words_in, write_words


@pytest.fixture
def site(ccm, tmp_path, me):
    return Site(ccm, tmp_path, me)


@pytest.mark.starts_processes
@pytest.mark.parametrize("engine", [{}, {"order": "graph"}])
def test_a_satisfied_sender_sends_what_it_sent_last(site, engine):
    site.engine = engine
    site.usual()
    assert site.outcomes() == ["changed", "changed"]
    first = site.file.read_text()
    (kept,) = site.kept()
    written = kept.stat().st_mtime_ns, kept.stat().st_ino
    assert kept.stat().st_mode & 0o777 == 0o600
    assert site.outcomes() == ["stable", "stable"]
    site.file.unlink()
    assert site.outcomes("--noop") == ["stable", "changed"]
    assert site.outcomes() == ["stable", "changed"]
    assert site.file.read_text() == first
    assert (kept.stat().st_mtime_ns, kept.stat().st_ino) == written


@pytest.mark.starts_processes
def test_only_a_sender_that_acts_writes(site):
    """The last value is void before the sender acts, so that it is written anew in each run in which it does."""
    site.usual(value="same", made=False)
    site.apply()
    (kept,) = site.kept()
    before, first = kept.stat().st_mtime_ns, words_in(kept)
    assert (len(first), first[0][0]) == (1, "sent")
    site.apply()
    assert (kept.stat().st_mtime_ns > before, words_in(kept)) == (True, first)
    site.usual(value="other", made=False)
    site.apply("--noop")
    assert words_in(kept) == first
    site.apply()
    ((_sent, _wanted, values),) = words_in(kept)
    assert json.loads(values)["stdout"] == "other"


@pytest.mark.starts_processes
def test_a_value_is_void_while_its_sender_acts(site):
    """The sender looks at the file with its value of the run before."""
    seen = site.directory / "seen"
    site.usual()
    site.apply()
    site.made.unlink()
    (kept,) = site.kept()
    site.usual(value=f"$(cp {kept} {seen})")
    site.apply()
    ((kind, since, reason),) = words_in(seen)
    assert (kind, reason) == ("void", "its run did not end")
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\S+Z", since)


LOST = r" WARN  A value is lost, so what uses it is skipped "


def lost(site, reason, *, since=True, words=()):
    """Assert that a run says once why the value is lost, and what to do; the file that receives it is skipped."""
    site.file.unlink(missing_ok=True)
    out = site.apply(*words)
    (line,) = [line for line in out.splitlines() if line.startswith(LOST)]
    line = line.replace('"', "")
    when = r"since=20\S+Z " if since else ""
    advice = f"remove {site.made}, and apply it again"
    assert re.fullmatch(rf"{LOST}resource=exec#mint {when}reason={reason} advice={advice}", line), line
    assert " unmet=exec#mint" in out
    assert not site.file.exists()


def recovered(site):
    """Assert that the advice helps."""
    site.made.unlink()
    assert "A value is lost" not in site.apply()
    assert site.file.read_text().startswith("token-")
    site.file.unlink()
    site.apply()
    assert site.file.read_text().startswith("token-")


def fail_to_send(site):
    """Have the command fail; what it made is there afterwards, so that it does not run again."""
    site.made.unlink()
    site.write({"exec": [{"mint": {"command": "false", "creates": str(site.made)}}]}, site.receiver())
    assert site.outcomes() == ["failed", "skipped"]
    site.made.touch()
    site.usual()


@pytest.mark.starts_processes
def test_a_value_is_lost_when_its_sender_failed(site):
    site.usual()
    site.apply()
    fail_to_send(site)
    lost(site, "it failed")
    lost(site, "it failed", words=["--noop"])
    recovered(site)


@pytest.mark.starts_processes
@pytest.mark.parametrize("is_first", [False, True])
def test_a_value_is_lost_when_the_run_was_killed(site, is_first):
    site.usual()
    if not is_first:
        site.apply()
        site.made.unlink()
    command = {"command": f"/bin/sh -c 'touch {site.made}; kill -9 $PPID'", "creates": str(site.made)}
    site.write({"exec": [{"mint": command}]}, site.receiver())
    assert subprocess.run([*CCM, "apply", "m.yaml"], capture_output=True, check=False).returncode == -9
    lost(site, "its run did not end")
    site.usual()
    lost(site, "its run did not end")
    recovered(site)


@pytest.mark.starts_processes
def test_a_value_is_lost_when_its_sender_ran_without_state(site):
    site.usual()
    site.apply()
    site.made.unlink()
    site.file.unlink()
    site.apply("--no-state")
    assert site.file.read_text().startswith("token-")
    lost(site, "it ran without state", since=False)
    recovered(site)
    assert list(site.state.rglob("void-*")) == []


@pytest.mark.starts_processes
def test_a_value_stays_when_a_run_without_state_does_not_run_its_sender(site):
    site.usual()
    site.apply()
    first = site.file.read_text()
    site.apply("--no-state")
    site.made.unlink()
    site.apply("--no-state", "--noop")
    site.made.touch()
    site.file.unlink()
    assert site.outcomes() == ["stable", "changed"]
    assert site.file.read_text() == first


@pytest.mark.starts_processes
def test_a_value_is_lost_when_its_sender_is_declared_otherwise(site):
    site.usual()
    site.apply()
    site.usual(value="token-other-$$")
    lost(site, "it was declared otherwise when it ran last", since=False)
    site.usual()
    assert site.outcomes() == ["stable", "changed"]
    site.usual(value="token-other-$$")
    recovered(site)


@pytest.mark.starts_processes
def test_a_value_is_lost_when_it_was_too_large(site):
    command = {"command": f"head -c {17 << 20} /dev/zero | tr '\\0' x; touch {site.made}", "creates": str(site.made)}
    site.write(
        {"exec": [{"mint": {**command, "provider": "shell"}}]}, site.receiver("${ len(sent('exec#mint').stdout) }")
    )
    assert site.apply().count("too large to be kept") == 1
    lost(site, "its values were too large to be kept")


@pytest.mark.starts_processes
def test_a_lost_value_is_named_once(site):
    site.usual()
    site.apply()
    other = site.receiver()
    (entry,) = other["file"]
    other["file"] = [{f"{path}-{at}": value for path, value in entry.items()} for at in range(3)]
    site.write(site.sender(value="token-other"), other)
    out = site.apply()
    assert (out.count("A value is lost"), out.count(" unmet=exec#mint")) == (1, 3)


@pytest.mark.starts_processes
def test_without_a_file_that_is_made_the_sender_is_named_in_the_advice(site):
    guarded = {"unless": f"test -e {site.made}"}
    site.write(site.sender(made=False, **guarded), site.receiver())
    site.apply()
    site.write(site.sender(value="token-other", made=False, **guarded), site.receiver())
    assert " advice=have exec#mint run again" in site.apply().replace('"', "")


@pytest.mark.starts_processes
@pytest.mark.parametrize("version", [1, 2])
def test_a_value_in_a_former_format_is_used(site, version):
    """The formats 1 and 2 had the values alone; they do not say how the sender was declared."""
    site.usual()
    site.apply()
    (kept,) = site.kept()
    kept.write_text(json.dumps({"values": {"stdout": "of old", "stderr": ""}}))
    site.file.unlink()
    assert site.outcomes() == ["stable", "changed"]
    assert site.file.read_text() == "of old"
    site.made.unlink()
    site.apply()
    assert words_in(kept)[0][0] == "sent"


@pytest.mark.starts_processes
def test_a_value_of_a_later_version_is_named(site):
    site.usual()
    site.apply()
    (kept,) = site.kept()
    content = b"ccm-state\t4\twhatever\n"
    kept.write_bytes(content)
    site.file.unlink()
    out = site.apply()
    message = f"{kept} was written by a later version of ccm (format 4, this one knows 3)"
    assert f" WARN  Going on without state between runs: {message}" in out
    assert kept.read_bytes() == content


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    ("content", "meta", "count"),
    [("plain", {}, 0), (RECEIVED, {}, 1), ("plain", {"send": {}}, 1), ("plain", {"retry": 1}, 0)],
)
def test_only_what_something_asks_for_is_kept(site, content, meta, count):
    site.write(site.sender(**({"meta": meta} if meta else {})), site.receiver(content))
    site.apply()
    assert len(site.kept()) == count


@pytest.mark.starts_processes
def test_a_renamed_sender_has_sent_nothing(site):
    site.usual()
    site.apply()
    site.write(site.sender(name="coin"), site.receiver("{{ sent('exec#coin').stdout }}"))
    assert " unmet=exec#coin\n" in site.apply()


@pytest.mark.starts_processes
def test_senders_whose_names_differ_in_a_secret(site):
    names = [f"/bin/sh -c 'echo $0' --password={word}" for word in ("one", "two")]
    guarded = [{"exec": [{name: {"alias": f"a{at}", "creates": str(site.made)}}]} for at, name in enumerate(names)]
    made = {"exec": [{f"touch {site.made}": {}}]}
    content = "${ sent('exec#a0').stdout + sent('exec#a1').stdout }"
    guarded[0]["exec"][0][names[0]]["meta"] = {"send": {}}
    site.write(*guarded, made, site.receiver(content))
    for _run in range(2):
        site.apply()
        assert site.file.read_text() == "--password=one--password=two"
        site.file.unlink()


@pytest.mark.starts_processes
def test_too_large_a_value_is_not_kept(site):
    site.usual(value="small")
    site.apply()
    assert len(site.kept()) == 1
    site.made.unlink()
    big = f"head -c {17 << 20} /dev/zero | tr '\\0' x"
    site.write(
        {"exec": [{"mint": {"command": big, "provider": "shell"}}]}, site.receiver("${ len(sent('exec#mint').stdout) }")
    )
    out = site.apply()
    assert site.file.read_text() == str(17 << 20)
    assert out.count("too large to be kept") == 1
    assert "resource=exec#mint size=17.0 MiB" in out.replace('"', "")
    (kept,) = site.kept()
    ((kind, _since, reason),) = words_in(kept)
    assert (kind, reason) == ("void", "its values were too large to be kept")


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    "damage",
    [
        lambda text: b"{",
        lambda text: b"",
        lambda text: text[:-9],
        lambda text: text.replace(b"token", b"nekot"),
        lambda text: b'{"values": 1}',
        lambda text: b"[" * 100_000,
    ],
)
def test_a_damaged_file_is_not_used(site, damage):
    site.usual()
    site.apply()
    (kept,) = site.kept()
    kept.write_bytes(damage(kept.read_bytes()))
    out = site.apply()
    assert out.count("What a resource sent last is damaged, and is not used resource=exec#mint") == 1
    assert " unmet=exec#mint\n" in out


@pytest.mark.parametrize(
    "words", [["sent", "", "[]"], ["sent", "", "x"], ["sent", ""], ["void", "now"], ["what", "", "{}"]]
)
def test_words_that_no_run_wrote_are_damaged(tmp_path, words):
    hall = lamp("hall")
    log = RecordedLog()
    directory = StateDirectory(str(tmp_path), "0" * 32, log)
    sent = SentFiles(directory)
    sent.void("lamp#hall", hall)
    (path,) = tmp_path.rglob("sent-*")
    with pytest.raises(ValueLost, match="its run did not end"):
        sent.read("lamp#hall", hall)
    write_words(path, [words])
    assert sent.read("lamp#hall", hall) == {}
    assert [message for _level, message, _fields in log.lines] == [
        "What a resource sent last is damaged, and is not used"
    ]


@pytest.mark.starts_processes
def test_forget_and_move_take_values_along(site):
    site.usual()
    site.apply()
    first = site.file.read_text()
    os.rename(site.directory / "m.yaml", site.directory / "n.yaml")
    moved = site.ccm("state", "move", str(site.directory / "m.yaml"), str(site.directory / "n.yaml"))
    assert moved.status == 0, moved.err
    os.rename(site.file, site.directory / "old")
    assert site.ccm("apply", "n.yaml").status == 0
    assert site.file.read_text() == first
    assert len(site.kept()) == 1
    assert site.ccm("state", "forget", str(site.directory / "n.yaml")).status == 0
    assert site.kept() == []


@pytest.mark.starts_processes
def test_what_a_command_sent_that_left_the_manifest_is_removed_a_day_later(site):
    secret = "--password=canary-1f3a"
    site.write(*(site.sender(name=name, made=False, meta={"send": {}}) for name in ("left", "kept", f"kept {secret}")))
    site.apply()
    assert len(site.kept()) == 3
    for path in site.kept():
        os.utime(path, (0, 0))
    staying = [site.sender(name=name, meta={"send": {}}) for name in ("kept", f"kept {secret}")]
    site.write(*staying, site.receiver("{{ sent('exec#kept').stdout }}"))
    assert " failed " not in site.apply()
    assert len(site.kept()) == 2


@pytest.mark.starts_processes
@pytest.mark.parametrize("at", ["rename", "fsync"])
def test_a_value_is_lost_when_it_cannot_be_marked_as_void(site, monkeypatch, at):
    """A full disk: the sender runs, and the value of the run before must not be taken for the present one."""
    site.usual()
    site.apply()
    site.made.unlink()

    def full(*_given, **_more):
        raise OSError(errno.ENOSPC, "")

    with monkeypatch.context() as patch:
        patch.setattr(os, at, full)
        out = site.apply()
    assert out.count("Going on without state between runs: ") == 1
    lost(site, "it ran without state", since=False)


@pytest.mark.starts_processes
def test_a_value_that_failed_after_a_run_without_state_has_the_last_reason(site):
    site.usual()
    site.apply()
    site.made.unlink()
    site.apply("--no-state")
    fail_to_send(site)
    lost(site, "it failed")
