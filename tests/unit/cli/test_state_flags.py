# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""State between runs, through the command: causes of changes, stores that cannot be used."""

from __future__ import annotations

import fcntl
import os
import pathlib
import re
import subprocess

import pytest
from ccm.engine.state import locked_directory
from ccm.resources.file.posix import PosixFileProvider
from ccm.resources.file.type import FileType

from tests.patience import wait_until
from tests.unit.cli.owed import Site
from tests.unit.layout import CCM
from tests.unit.manifest.runs import until

pytestmark = pytest.mark.starts_processes


@pytest.fixture
def site(ccm, tmp_path, me):
    """Write m.yaml with a file, a command that may fail, and a command that subscribes to the file."""
    return Site(ccm, tmp_path, me)


def test_a_run_that_changes_nothing_writes_nothing(site):
    site.write(site.resource_of_file(), site.subscriber())
    for _converged in range(3):
        site.apply()
    before = {path: path.stat() for path in site.state.rglob("*")}
    site.apply()
    site.apply("--noop")
    assert {path: path.stat().st_mtime_ns for path in site.state.rglob("*")} == {
        path: found.st_mtime_ns for path, found in before.items()
    }


def test_only_the_owner_can_read_it(site):
    os.umask(os.umask(0))
    site.usual()
    site.apply()
    modes = {path: oct(path.stat().st_mode & 0o777) for path in (site.state, *site.state.rglob("*"))}
    assert set(modes.values()) == {"0o700", "0o600"}
    assert {mode for path, mode in modes.items() if path.is_file()} == {"0o600"}


def test_secrets_in_commands_are_not_kept(site):
    site.write(
        {"exec": [{"login --password=s3cr3t-canary": {"command": "true"}}]},
        {"exec": [{"x": {"command": "false", "subscribe": ["exec#login --password=s3cr3t-canary"]}}]},
    )
    site.apply()
    assert site.kept()
    assert not any(b"s3cr3t-canary" in content for content in site.kept())


def test_noop_writes_nothing(site):
    site.usual()
    site.apply("--noop")
    site.apply("--monitor-only")
    assert not site.state.exists()


def test_the_causes_of_changes(site):
    site.write(site.resource_of_file(), site.subscriber())
    assert site.causes() == {"file": "manifest", "exec": "manifest"}
    site.file.write_text("by hand")
    assert site.causes("--noop") == {"file": "drift", "exec": "refresh"}
    assert site.causes() == {"file": "drift", "exec": "refresh"}
    assert site.causes() == {"file": "", "exec": ""}
    site.write(site.resource_of_file("two\n"), site.subscriber())
    assert site.causes() == {"file": "manifest", "exec": "refresh"}
    for _run in range(3):
        site.file.write_text("again by hand")
        assert site.causes()["file"] == "drift"


def test_a_file_that_a_command_of_the_manifest_writes_never_converges(site):
    spoil = {"exec": [{f"sh -c 'printf spoilt > {site.file}'": {}}]}
    site.write(site.resource_of_file(), spoil)
    causes = [site.causes()["file"] for _run in range(4)]
    assert causes == ["manifest", "drift", "never converges", "never converges"]
    site.write(site.resource_of_file(), {"exec": [{"true": {}}]})
    assert site.causes()["file"] == "never converges"
    site.file.write_text("spoilt")
    assert site.causes()["file"] == "drift"


def test_what_another_thread_undoes_before_the_result_is_noted_never_converges(site, monkeypatch):
    """The state that a repair leads to was read; a command ends before that is noted."""
    begun, read = site.directory / "begun", site.directory / "read"
    spoil = f"touch {begun}; {until(f'-e {read}')}; printf spoilt > {site.file}; rm {begun} {read}"
    site.engine = {"order": "graph", "parallel": 2}
    site.write(site.resource_of_file(), {"exec": [{f"sh -c '{spoil}'": {}}]})
    status_after = PosixFileProvider.status_after

    def then_wait(provider, *given):
        after = status_after(provider, *given)
        wait_until(begun.exists)
        generation = provider.machine.generation
        read.touch()
        wait_until(lambda: provider.machine.generation > generation)
        return after

    monkeypatch.setattr(PosixFileProvider, "status_after", then_wait)
    # Else the thread of the run manages the file, before it gives the command to another one.
    monkeypatch.setattr(FileType, "waits_for_nothing", lambda _type, _properties: False)
    assert [site.causes()["file"] for _run in range(3)] == ["manifest", "drift", "never converges"]


@pytest.mark.parametrize(("later", "reads"), [([], 1), ([{"exec": [{"true": {}}]}], 2)])
def test_a_restored_file_is_read_again_at_the_end_when_something_changed_after_it(site, monkeypatch, later, reads):
    site.write(site.resource_of_file(), *later)
    site.apply()
    site.file.write_text("by hand")
    read, status = [], PosixFileProvider.status
    monkeypatch.setattr(PosixFileProvider, "status", lambda *given: read.append(given) or status(*given))
    assert site.causes()["file"] == "drift"
    assert len(read) == reads


def test_a_command_without_a_guard_never_converges(site):
    site.write({"exec": [{"true": {}}]})
    assert [site.causes()["exec"] for _run in range(3)] == ["manifest", "never converges", "never converges"]


def test_a_named_state_moves_with_the_manifest(site):
    site.engine = {"state": "site"}
    site.usual(between="false")
    site.apply()
    site.usual()
    (site.directory / "other").mkdir()
    (site.directory / "m.yaml").rename(site.directory / "other/m.yaml")
    done = site.ccm("apply", "other/m.yaml", "--no-report")
    assert "refreshed: owed since " in done.out


def test_standard_input_has_no_state(site):
    site.usual()
    read, write = os.pipe()
    os.write(write, (site.directory / "m.yaml").read_bytes())
    os.close(write)
    try:
        assert site.ccm("apply", f"/dev/fd/{read}").status == 0
    finally:
        os.close(read)
    assert not site.state.exists()


WARNING = " WARN  Going on without state between runs: "


def goes_on(site, reason, *words):
    """Assert that a run says once that it goes on without state, and does its work."""
    site.usual()
    output = site.apply(*words)
    assert output.count(WARNING) == 1, output
    assert reason in output.partition(WARNING)[2].partition("\n")[0]
    assert " exec#restart refreshed " in output


def entry(site):
    (path,) = site.state.glob("manifests/*/state")
    return path


def test_a_place_that_cannot_be_used(site):
    goes_on(site, "/dev/null is not a directory", "--state", "/dev/null")


@pytest.mark.needs("root")
def test_a_directory_of_another_user(site):
    site.state.mkdir(parents=True)
    os.chown(site.state, 1, 1)
    goes_on(site, f"{site.state} belongs to another user")


def test_a_directory_that_others_can_write(site):
    site.state.mkdir(parents=True)
    site.state.chmod(0o777)
    goes_on(site, f"{site.state} can be changed by other users advice=")


def test_a_link_in_its_place(site):
    (site.directory / "elsewhere").mkdir()
    site.state.parent.mkdir(exist_ok=True)
    site.state.symlink_to(site.directory / "elsewhere")
    goes_on(site, f"{site.state} is not a directory")
    assert list((site.directory / "elsewhere").iterdir()) == []


def test_a_file_that_is_a_link(site):
    site.write({"exec": [{"true": {}}]})
    site.apply()
    entry(site).rename(site.directory / "target")
    entry_path = next(site.state.glob("manifests/*")) / "state"
    entry_path.symlink_to(site.directory / "target")
    goes_on(site, "state: a symbolic link is not followed")


def test_a_later_version(site):
    site.write({"exec": [{"true": {}}]})
    site.apply()
    entry(site).write_bytes(b"ccm-state\t9\twhatever\n")
    goes_on(site, "was written by a later version of ccm (format 9, this one knows 3)")
    assert entry(site).read_bytes() == b"ccm-state\t9\twhatever\n"


def test_a_damaged_file_is_put_aside(site):
    site.write({"exec": [{"true": {}}]})
    site.apply()
    damaged = entry(site).read_bytes()[:-7]
    entry(site).write_bytes(damaged)
    site.usual()
    warning = r" WARN  Lines of the state of earlier runs cannot be read file=(\S+) lines=1\n"
    (aside,) = re.findall(warning, site.apply())
    assert pathlib.Path(aside).read_bytes() == damaged
    assert [str(path) for path in site.state.glob("manifests/*/state.damaged-*")] == [aside]
    assert " state of earlier runs " not in site.apply()


def test_a_lock_that_another_process_holds(site, monkeypatch):
    site.write({"exec": [{"true": {}}]})
    site.apply()
    monkeypatch.setattr(locked_directory, "LOCK_TIMEOUT", 0.05)
    with open(next(site.state.glob("manifests/*/lock")), "rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        goes_on(site, "is locked by another process for 0.05 s")


@pytest.mark.needs("mounts")
def test_a_disk_that_is_full(site):
    site.usual()
    site.state.mkdir(parents=True)
    fill = 'mount -t tmpfs -o size=8k,mode=700 none "$0" && dd if=/dev/zero of="$0/full" 2>/dev/null; exec "$@"'
    words = ["unshare", "--mount", "sh", "-c", fill, str(site.state), *CCM, "apply", "m.yaml"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.count(WARNING) == 1
    assert "no space left on device" in done.stdout
    assert " exec#restart refreshed " in done.stdout


def test_two_runs_of_one_manifest_at_once(site):
    site.usual(between="sleep 0.5")
    runs = [subprocess.Popen([*CCM, "apply", "m.yaml"], stdout=subprocess.PIPE, text=True) for _run in range(4)]
    outputs = [run.communicate()[0] for run in runs]
    assert [run.returncode for run in runs] == [0] * 4
    assert "WARN  Going on" not in "".join(outputs)
    assert site.outcomes()[-1] in ("stable", "owed refreshed")
    assert site.outcomes() == ["stable", "changed", "stable"]
