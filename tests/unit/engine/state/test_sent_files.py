# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that resources sent last are kept in files, and go with their resources."""

from __future__ import annotations

import os

import pytest

from tests.unit.manifest.sending import RECEIVED, Site


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
def test_the_same_value_is_not_written_again(site):
    site.usual(value="same", made=False)
    site.apply()
    (kept,) = site.kept()
    before = kept.stat().st_ino, kept.stat().st_mtime_ns
    site.apply()
    assert (kept.stat().st_ino, kept.stat().st_mtime_ns) == before
    site.usual(value="other", made=False)
    site.apply()
    assert b"other" in kept.read_bytes()


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
    assert site.kept() == []


@pytest.mark.starts_processes
def test_a_damaged_file_is_not_used(site):
    site.usual()
    site.apply()
    (kept,) = site.kept()
    kept.write_bytes(b"{")
    out = site.apply()
    assert "What a resource sent last is damaged, and is not used resource=exec#mint" in out
    assert " unmet=exec#mint\n" in out


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
