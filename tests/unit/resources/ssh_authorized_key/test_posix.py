# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys in files of a user who exists only here: what is written, what stays, and what is refused."""

from __future__ import annotations

import errno
import os
import pathlib
import stat

import pytest
import yaml
from ccm.engine.context import Context
from ccm.engine.session import Session
from ccm.engine.transaction import run_transaction
from ccm.host import files, user_files
from ccm.host.machine import Machine
from ccm.model.errors import NotThereYet
from ccm.model.event import Event
from ccm.model.provider import ProviderContext
from ccm.model.resource import Resource, complete
from ccm.resources.ssh_authorized_key import posix
from ccm.resources.ssh_authorized_key.type import TYPE
from ccm.testing import check_provider

from .keys import KEYS, key

RECORDED = yaml.safe_load((pathlib.Path(__file__).parent / "cases/authorized_key.yaml").read_text("utf-8"))["cases"]
LINE = f"ssh-ed25519 {key(1)} a@b\n"
OTHERS = [
    b"",
    b"# a comment\n\n   \n",
    b"ssh-rsa not-a-key x\nbroken \x00 line\n\xff\xfe\n",
    f'command="a, \\"b c\\"",from="10.0.0.0/8,::1" ssh-rsa {KEYS["ssh-rsa"]} c d\n'.encode() * 2,
    f"ssh-rsa {KEYS['ssh-rsa']} c\r\n\r\n#x\r\n".encode(),
    f"#ssh-ed25519 {key(1)} a@b\n".encode(),
    f"ssh-ed25519 {key(2)} a@b.example\nssh-ed25519 {key(3)} xa@b\nssh-ed25519 {key(4)} a@b c\n".encode(),
]


def resource(**values):
    given = {"name": "a@b", "user": "alice", "key": key(1), **values}
    properties = TYPE.made(complete(TYPE, given))
    TYPE.validate(properties)
    TYPE.normalise(properties)
    return Resource(TYPE, properties)


def managed(*, noop=False, log=None, siblings=(), **values):
    """Manage the key once; return its event."""
    made = resource(**values)
    context = Context(noop=noop, resources=[made, *siblings], **({"user_log": log} if log else {}))
    return run_transaction(made, context)


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_directory_and_file_are_made_for_the_user(home):
    preview = managed(noop=True)
    assert (preview.changed, preview.noop_message, home.keys.parent.exists()) == (
        True,
        "Would have added the key",
        False,
    )
    done = managed()
    assert (done.errors, done.changed, home.read()) == ((), True, LINE.encode())
    assert (mode_of(home.keys.parent), mode_of(home.keys)) == (0o700, 0o600)
    metadata = {"name": "a@b", "provider": "posix", "user": "alice", "target": str(home.keys)}
    assert done.status.metadata == {**metadata, "type": "ssh-ed25519", "key": key(1)}
    assert managed().changed is False
    assert os.listdir(home.keys.parent) == ["authorized_keys"]


@pytest.mark.parametrize("before", OTHERS)
@pytest.mark.parametrize("after", OTHERS)
@pytest.mark.parametrize("is_cut", [False, True])
def test_other_lines_stay_byte_for_byte(home, before, after, is_cut):
    home.write(before + after[: -1 if is_cut else None])
    ending = b"\n" if is_cut and after else b""
    assert managed().errors == ()
    assert home.read() == before + after[: -1 if is_cut else None] + ending + LINE.encode()
    home.write(before + LINE.encode() + after)
    assert managed().changed is False
    assert managed(key=key(9)).errors == ()
    assert home.read() == before + LINE.encode().replace(key(1).encode(), key(9).encode()) + after
    assert managed(ensure="absent", key=key(1)).changed is True
    assert home.read() == before + after


@pytest.mark.parametrize("case", RECORDED, ids=[case["name"] for case in RECORDED])
def test_files_are_as_ansible_leaves_them_or_as_documented(home, case):
    def text(name):
        return (case[name] or "").format(K1=key(1), K2=key(2), R=KEYS["ssh-rsa"]).encode()

    assert case.get("here") != case["after"]
    if case["before"] is not None:
        home.write(text("before"))
    done = managed(options=case.get("options", []), ensure=case.get("ensure", "present"))
    after = text("here" if "here" in case else "after")
    assert (done.errors, home.read(), done.changed) == ((), after, text("before") != after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"ssh-ed25519 {key(1)} c@d\n# x\n", f"{LINE}# x\n"),
        (f"ssh-ed25519 {key(1)}\r\n# x\r\n", f"{LINE[:-1]}\r\n# x\r\n"),
        (f"# x\nno-pty ssh-ed25519 {key(1)} a@b", f"# x\n{LINE[:-1]}"),
        (f"ssh-ed25519 {key(2)} a@b\n# x\nno-pty ssh-ed25519 {key(1)} c\n# y\n", f"{LINE}# x\n# y\n"),
        (f"ssh-rsa AAAAbroken a@b\n{LINE}", LINE),
        (f"# x\nssh-ed25519 {key(1).rstrip('=')} c", f"# x\n{LINE[:-1]}") if key(1).endswith("=") else (LINE * 3, LINE),
    ],
)
def test_one_line_has_the_key(home, before, after):
    home.write(before)
    assert managed().errors == ()
    assert home.read().decode() == after
    assert managed(ensure="absent").changed is True
    assert key(1) not in home.read().decode()


def test_the_provider_fulfils_the_contract(home):
    common = {"name": "a@b", "user": "alice", "key": key(1)}
    check_provider(
        TYPE, [common, {**common, "options": ["no-pty"]}, {**common, "key": key(2)}, {**common, "ensure": "absent"}]
    )


def test_a_file_keeps_its_mode(home):
    home.write("# x\n")
    home.keys.chmod(0o644)
    assert managed().errors == ()
    assert mode_of(home.keys) == 0o644


@pytest.mark.needs("root")
def test_a_file_keeps_its_owner_and_new_ones_are_the_users(home):
    home.number = 4242
    os.chown(home.path, 4242, 4243)
    assert managed().errors == ()
    for path in (home.keys, home.keys.parent):
        assert (path.stat().st_uid, path.stat().st_gid) == (4242, os.getgid())
    os.chown(home.keys, 0, 7)
    assert managed(options=["no-pty"]).errors == ()
    assert (home.keys.stat().st_uid, home.keys.stat().st_gid) == (0, 7)


@pytest.mark.needs("root")
def test_a_new_file_outside_of_the_home_is_roots_unless_its_directory_is_the_users(home, tmp_path, monkeypatch):
    # The directory of all temporary files is above it.
    monkeypatch.setattr(user_files, "_WRITABLE_BY_OTHERS", 0)
    home.number = 4242
    for owner, expected in ((0, (0, 0o644)), (4242, (4242, 0o600))):
        place = tmp_path / str(owner)
        place.mkdir(mode=0o755)
        os.chown(place, owner, 0)
        assert managed(target=str(place / "alice")).errors == ()
        assert ((place / "alice").stat().st_uid, mode_of(place / "alice")) == expected
    missing = managed(target=str(tmp_path / "missing/alice"))
    assert missing.errors == [f'"{tmp_path}/missing" is not a directory']
    absent = managed(target=str(tmp_path / "missing/alice"), ensure="absent")
    assert (absent.errors, absent.changed) == ((), False)


def test_each_directory_up_to_the_root_counts_outside_of_the_home(home, tmp_path):
    place = tmp_path / "etc/keys"
    place.mkdir(parents=True)
    tmp_path.chmod(0o777)
    (tmp_path / "etc").chmod(0o755)
    fault = f"{tmp_path} is writable for more than its owner (mode 0777)"
    assert managed(target=str(place / "alice")).errors == [f"sshd does not read {place}/alice: {fault}"]
    assert os.listdir(place) == []


@pytest.mark.parametrize("place", ["home", ".ssh", "authorized_keys"])
@pytest.mark.parametrize("mode", [0o770, 0o702])
def test_what_others_may_write_to_is_refused_as_sshd_does(home, place, mode):
    home.write(LINE)
    path = {"home": home.path, ".ssh": home.keys.parent, "authorized_keys": home.keys}[place]
    path.chmod(mode)
    for noop in (True, False):
        done = managed(noop=noop, options=["no-pty"])
        assert done.errors == [
            f"sshd does not read {home.keys}: {path} is writable for more than its owner (mode {mode:04o})"
        ]
    assert home.read() == LINE.encode()
    assert managed().errors == done.errors
    assert managed(ensure="absent").errors == ()
    assert home.read() == b""
    assert mode_of(path) == mode


@pytest.mark.needs("root")
@pytest.mark.parametrize("place", ["home", ".ssh", "authorized_keys"])
def test_what_belongs_to_another_user_is_refused_as_sshd_does(home, place):
    home.write("")
    path = {"home": home.path, ".ssh": home.keys.parent, "authorized_keys": home.keys}[place]
    os.chown(path, 54321, 0)
    assert managed().errors == [f"sshd does not read {home.keys}: {path} belongs to 54321"]
    home.number = 54321
    assert managed().errors == ()


def test_in_noop_an_earlier_resource_may_repair_the_directory(home):
    home.path.chmod(0o777)
    session = Session()
    made = resource()
    context = Context(noop=True, session=session, resources=[made])
    assert run_transaction(made, context).failed
    session.record(would_change())
    done = run_transaction(made, context)
    assert (done.errors, done.noop_message) == ((), "Would have added the key")


def would_change():
    earlier = Event("file", "/x", "")
    earlier.changed = earlier.noop = True
    return earlier


@pytest.mark.parametrize(
    ("user", "reason"),
    [
        ("bob", "there is no user bob"),
        ("homeless", "the user homeless has no home"),
        ("alice", "the user alice cannot have keys: its home {home} does not exist"),
    ],
)
def test_a_user_or_home_that_is_missing_is_named(home, user, reason):
    home.path.rmdir()
    made = resource(user=user)
    for noop in (False, True):
        done = run_transaction(made, Context(noop=noop, session=Session(), resources=[made]))
        assert done.errors == [reason.format(home=home.path)]
    session = Session()
    session.record(would_change())
    done = run_transaction(made, Context(noop=True, session=session, resources=[made]))
    assert (done.errors, done.noop_message) == ((), "Would have added the key")
    absent = managed(user=user, ensure="absent")
    assert (absent.errors, absent.changed) == ((), False)
    assert not home.path.exists()


def test_accounts_are_looked_up_again_after_a_change_and_after_waiting(home, monkeypatch):
    asked = []

    def account(name):
        asked.append(name)
        return home.account(name)

    monkeypatch.setattr(posix, "user", account)
    machine, accounts = Machine(), posix.Accounts()
    for _round in range(2):
        assert accounts.of("alice", machine).pw_name == "alice"
        assert accounts.of("bob", machine) is None
    assert asked == ["alice", "bob", "bob"]
    for act in (machine.record_change, machine.before_waiting):
        del asked[:]
        act()
        assert (accounts.of("alice", machine), accounts.of("alice", machine), len(asked)) == (
            *[home.account("alice")] * 2,
            1,
        )


def test_links_are_refused_at_each_place(home, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    for path in (home.keys.parent, home.keys):
        path.parent.mkdir(exist_ok=True)
        path.symlink_to(other)
        for ensure in ("present", "absent"):
            done = managed(ensure=ensure)
            assert done.errors == [f"{path} is a symbolic link; nothing is read or written through it"]
        path.unlink()
    assert list(other.iterdir()) == []


def test_a_home_behind_a_link_of_root_or_of_who_runs_is_the_home(home, tmp_path):
    home.path.rename(tmp_path / "elsewhere")
    home.path.symlink_to(tmp_path / "elsewhere")
    assert managed().errors == ()
    assert home.read() == LINE.encode()


def irregular(path, kind):
    if kind == "a named pipe":
        os.mkfifo(path)
    elif kind == "a directory":
        path.mkdir()
    else:
        os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 3))


@pytest.mark.parametrize(
    "kind", ["a named pipe", "a directory", pytest.param("a device", marks=pytest.mark.needs("root"))]
)
def test_what_is_no_file_is_left_as_it_is(home, kind):
    home.keys.parent.mkdir(mode=0o700)
    irregular(home.keys, kind)
    before = home.keys.lstat()
    for ensure in ("present", "absent"):
        assert managed(ensure=ensure).errors == [f"{home.keys} is {kind}, not a file"]
    assert home.keys.lstat() == before


def test_a_file_in_the_place_of_the_directory_is_left_as_it_is(home):
    home.keys.parent.write_text("x")
    assert managed().errors == [f'"{home.keys.parent}" is not a directory']
    assert home.keys.parent.read_text() == "x"


def test_a_large_file_is_changed_and_a_larger_one_is_not_read(home, monkeypatch):
    large = b"# " + b"x" * 10_000_000
    home.write(large)
    assert managed().errors == ()
    assert home.read() == large + b"\n" + LINE.encode()
    monkeypatch.setattr(user_files, "LARGEST", 1 << 20)
    assert managed(ensure="absent").errors == [f"{home.keys} has more than 1 MiB, and is not read"]


def test_a_full_disk_loses_nothing(home, monkeypatch):
    home.write("# x\n")

    def full(fd, data):
        raise OSError(errno.ENOSPC, "")

    monkeypatch.setattr(os, "write", full)
    done = managed()
    assert done.errors == [f"write {home.keys}: no space left on device"]
    assert (home.read(), os.listdir(home.keys.parent)) == (b"# x\n", ["authorized_keys"])


def test_the_lines_of_many_keys_are_searched_once(home, monkeypatch):
    """In a file that only the run changes, by lines that are added; its bytes are read for each key."""
    home.write(f"# first\nssh-ed25519 {key(0)} other\n")
    searched = []
    known_lines = posix.KnownLines
    monkeypatch.setattr(posix, "KnownLines", lambda content: searched.append(content) or known_lines(content))
    resources = [resource(name=f"k{number}", key=key(number)) for number in range(1, 8)]
    context = Context(resources=resources)
    for each in resources:
        assert run_transaction(each, context).changed
    assert len(searched) == 1
    expected = [f"ssh-ed25519 {key(number)} k{number}" for number in range(1, 8)]
    assert home.read().decode().splitlines() == ["# first", f"ssh-ed25519 {key(0)} other", *expected]
    assert not any(run_transaction(each, context).changed for each in resources)
    assert len(searched) == 1


@pytest.mark.parametrize("end", ["\n", "", "\r\n"])
def test_what_another_program_writes_between_two_keys_is_seen(home, end):
    resources = [resource(name=f"k{number}", key=key(number)) for number in range(1, 5)]
    context = Context(resources=resources)
    home.write("# first\n")
    for each in resources[:3]:
        assert run_transaction(each, context).changed
    # A line before the others, a key under another name, a key that the run adds later, and another end of the file.
    lines = home.read().decode().replace(" k2\n", " x2\n").rstrip("\n")
    home.write(f"# new\n{lines}\nssh-ed25519 {key(4)} added{end}")
    assert [run_transaction(each, context).changed for each in resources] == [False, True, False, True]
    expected = [f"ssh-ed25519 {key(number)} k{number}" for number in range(1, 5)]
    assert home.read().decode().replace("\r", "").splitlines() == ["# new", "# first", *expected]
    assert not any(run_transaction(each, context).changed for each in resources)


@pytest.mark.parametrize("before", [None, "# x\n"])
def test_a_line_that_another_program_adds_meanwhile_is_not_lost(home, monkeypatch, before):
    home.keys.parent.mkdir(mode=0o700)
    if before is not None:
        home.write(before)
    write_in = files.write_in

    def raced(*arguments, **options):
        home.write("# added meanwhile\n")
        return write_in(*arguments, **options)

    monkeypatch.setattr(files, "write_in", raced)
    assert managed().errors == [f"another program changed {home.keys} meanwhile; it is left as it is"]
    assert (home.read(), os.listdir(home.keys.parent)) == (b"# added meanwhile\n", ["authorized_keys"])


def test_a_directory_that_the_user_replaces_by_a_link_redirects_nothing(home, tmp_path, monkeypatch):
    home.write("# x\n")
    other = tmp_path / "other"
    other.mkdir()
    write_in = files.write_in

    def raced(*arguments, **options):
        home.keys.parent.rename(home.path / "moved")
        home.keys.parent.symlink_to(other)
        return write_in(*arguments, **options)

    monkeypatch.setattr(files, "write_in", raced)
    done = managed()
    assert done.errors == [f"{home.keys.parent} is a symbolic link; nothing is read or written through it"]
    assert list(other.iterdir()) == []
    assert (home.path / "moved/authorized_keys").read_text() == f"# x\n{LINE}"


def test_a_directory_that_others_may_write_to_since_it_was_checked_gets_no_key(home):
    home.write("# x\n")
    provider, properties = posix.PosixKeyProvider(ProviderContext()), resource().properties
    state = provider.status(properties)
    home.keys.parent.chmod(0o777)
    with pytest.raises(NotThereYet, match=f"^sshd does not read {home.keys}: {home.keys.parent} is writable"):
        provider.store(properties, state)
    assert home.read() == b"# x\n"


@pytest.mark.parametrize("is_link", [True, False])
def test_a_new_directory_that_the_user_replaces_is_not_given_away(home, tmp_path, monkeypatch, is_link):
    other = tmp_path / "other"
    other.mkdir(mode=0o755)
    (other / "private").touch()
    mkdir = os.mkdir

    def raced(path, mode=0o777, *, dir_fd=None):
        mkdir(path, mode, dir_fd=dir_fd)
        if dir_fd is not None:
            home.keys.parent.rmdir()
            if is_link:
                home.keys.parent.symlink_to(other)
            else:
                other.rename(home.keys.parent)

    monkeypatch.setattr(os, "mkdir", raced)
    reason = "not a directory" if is_link else "file exists"
    assert managed().errors == [f"mkdir {home.keys.parent}: {reason}"]
    assert sorted(os.listdir(home.keys.parent)) == ["private"]
    assert mode_of(home.keys.parent) == 0o755


def test_a_key_has_one_name_in_a_run(home):
    done = managed(siblings=[resource(name="c@d")], name="a@b")
    assert done.errors == ()
    second = resource(name="c@d")
    first = resource()
    done = run_transaction(second, Context(resources=[first, second]))
    assert done.errors == ["ssh_authorized_key#a@b has the same key for the same user"]
    assert managed(name="c@d", key=key(2), siblings=[first]).errors == ()
    other = resource(user="bob")
    assert managed(siblings=[other]).errors == ()


def test_the_lines_are_shown_without_secrets(home):
    home.write(f"# x\nno-pty ssh-ed25519 {key(1)} a@b\n")
    made = resource(options=['environment="TOKEN=hunter2"'])
    provider = posix.PosixKeyProvider(ProviderContext())
    state = provider.status(made.properties)
    shown = provider.differences(made.properties, state)
    assert [(each["before"], each["before_header"]) for each in shown] == [
        (f"no-pty ssh-ed25519 {key(1)} a@b\n", str(home.keys))
    ]
    assert "hunter2" not in shown[0]["after"]
    assert shown[0]["after"].endswith(f" ssh-ed25519 {key(1)} a@b\n")
    assert provider.differences(resource(options=["no-pty"]).properties, state) == []
    missing = resource(user="bob")
    with pytest.raises(NotThereYet) as caught:
        provider.status(missing.properties)
    [shown] = provider.differences(missing.properties, caught.value.expected)
    assert (shown["before_header"], shown["before"], shown["after"]) == ("authorized keys of bob", "", LINE)
    done = managed(options=['environment="TOKEN=hunter2"'])
    assert "hunter2" in home.read().decode()
    assert "hunter2" not in str(done.status.metadata)
