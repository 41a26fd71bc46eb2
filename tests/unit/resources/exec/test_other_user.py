# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands as another user, in another group, with another umask: nothing of root is left to them."""

from __future__ import annotations

import errno
import json
import os
import pwd
import signal
import stat
import sys

import pytest
from ccm.host.command_errors import CommandNotStarted, CommandTimedOut
from ccm.host.commands import run
from ccm.host.errors import HostError
from ccm.host.results import decode
from ccm.host.run_as import RunAs
from ccm.model.errors import InvalidResource
from ccm.model.resource import Properties, complete
from ccm.resources.exec.facets import REVERSAL
from ccm.resources.exec.type import TYPE as EXEC

pytestmark = pytest.mark.starts_processes
root = pytest.mark.needs("root")
NOBODY = pwd.getpwnam("nobody")


@pytest.fixture
def ensured(ccm, tmp_path):
    """Ensure a command of the shell, with flags; return its event."""
    for path in (tmp_path, *tmp_path.parents[:-1]):
        path.chmod(path.stat().st_mode | 0o711)

    def ensure(command, *flags, noop=False):
        store = tmp_path / "session"
        store.mkdir(exist_ok=True)
        for old in store.glob("*.event"):
            old.unlink()
        switches = ["--noop"] if noop else []
        ran = ccm("ensure", "--session", store, *switches, "exec", command, "--provider", "shell", *flags)
        assert ran.err == ""
        (found,) = store.glob("*.event")
        event = json.loads(found.read_text())
        event["error"] = ", ".join(event["error"] or [])
        return event

    return ensure


@pytest.fixture
def open_place(tmp_path):
    """A directory where any user may write."""
    place = tmp_path / "open"
    place.mkdir()
    place.chmod(0o777)
    return place


def status(place):
    """Return the fields of /proc/PID/status that a command wrote to `status` in a directory."""
    return {
        line.partition(":")[0]: line.partition(":")[2].split() for line in (place / "status").read_text().splitlines()
    }


@root
def test_nothing_of_root_is_left(ensured, open_place, monkeypatch):
    """All ids and groups are the user's, and neither variables nor descriptors are inherited."""
    monkeypatch.setattr(os, "getgrouplist", lambda name, gid: [gid, 4, 24])
    monkeypatch.setenv("LEAK", "yes")
    command = "cat /proc/self/status > status; env > variables; ls /proc/$$/fd > descriptors; readlink /proc/$$/fd/0"
    with open("/dev/zero") as held:
        os.set_inheritable(held.fileno(), True)
        event = ensured(command, "--user", "nobody", "--cwd", open_place, "-e", "A=1", "--umask", "027")
    assert event["error"] == ""
    found = status(open_place)
    assert (found["Uid"], found["Gid"]) == ([str(NOBODY.pw_uid)] * 4, [str(NOBODY.pw_gid)] * 4)
    assert sorted(found["Groups"]) == sorted([str(NOBODY.pw_gid), "4", "24"])
    assert found["CapEff"] == found["CapPrm"] == ["0" * 16]
    # Python ignores them; another signal may be ignored by what started this process.
    ignored = int(found["SigIgn"][0], 16)
    assert [each for each in (signal.SIGPIPE, signal.SIGXFSZ) if ignored >> each - 1 & 1] == []
    assert found["SigBlk"] == ["0" * 16]
    assert found["Umask"] == ["0027"]
    variables = set((open_place / "variables").read_text().splitlines())
    assert variables - {f"PWD={open_place}"} == {
        *("A=1", f"HOME={NOBODY.pw_dir}", "LANG=C", "LC_ALL=C", "LOGNAME=nobody", "USER=nobody"),
        "PATH=/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin:/usr/local/sbin",
    }
    # A shell keeps a copy of the output that it redirects, above 9.
    assert [each for each in (open_place / "descriptors").read_text().split() if int(each) < 10] == ["0", "1", "2"]
    assert stat.S_IMODE((open_place / "status").stat().st_mode) == 0o640
    assert (open_place / "status").stat().st_uid == NOBODY.pw_uid


@root
def test_variables_of_the_account_can_be_overridden(ensured, open_place):
    ensured("echo $HOME > home", "--user", "nobody", "--cwd", open_place, "-e", "HOME=/srv")
    assert (open_place / "home").read_text() == "/srv\n"


@root
def test_a_group_alone_is_the_only_group(ensured, open_place):
    ensured("cat /proc/self/status > status", "--group", "adm", "--cwd", open_place)
    found = status(open_place)
    assert (found["Uid"], found["Gid"], found["Groups"]) == (["0"] * 4, ["4"] * 4, ["4"])


@root
def test_numbers_without_an_account(ensured, open_place):
    ensured("cat /proc/self/status > status", "--user", "4711", "--group", "4712", "--cwd", open_place)
    found = status(open_place)
    assert (found["Uid"], found["Gid"], found["Groups"]) == (["4711"] * 4, ["4712"] * 4, ["4712"])
    assert ensured("true", "--user", "4711")["error"] == "user 4711 has no account, so its group is not known"


def test_a_umask(ensured, open_place):
    before = os.umask(0o022)
    os.umask(before)
    event = ensured("mkdir made", "--umask", "0o077", "--cwd", open_place)
    assert event["properties"]["umask"] == "0077"
    assert stat.S_IMODE((open_place / "made").stat().st_mode) == 0o700
    after = os.umask(before)
    assert after == before


@root
def test_guards_are_the_user_as_well(ensured):
    is_nobody = f"test $(id -u) = {NOBODY.pw_uid}"
    assert ensured("true", "--user", "nobody", "--exec-if", is_nobody)["changed"]
    assert not ensured("true", "--user", "nobody", "--exec-unless", is_nobody)["changed"]


@root
def test_output_can_be_opened_again(ensured):
    """/dev/stderr is the pipe of root, and is opened with the rights of the user."""
    assert ensured("echo wrong > /dev/stderr; exit 1", "--user", "nobody")["error"].endswith(": wrong")


@root
def test_what_the_user_may_not_do(ensured, tmp_path, open_place):
    (tmp_path / "closed").mkdir(mode=0o700)
    error = ensured("true", "--user", "nobody", "--cwd", tmp_path / "closed")["error"]
    assert error == f"chdir {tmp_path}/closed: permission denied for user nobody"
    assert ensured("true", "--user", "nobody", "--cwd", "/nope")["error"] == "chdir /nope: no such file or directory"
    with pytest.raises(CommandNotStarted, match=r"^fork/exec /nope: no such file or directory$"):
        run(["/nope"], run_as=RunAs(NOBODY.pw_uid, NOBODY.pw_gid, [], None))


@pytest.mark.parametrize(("flag", "kind"), [("--user", "user"), ("--group", "group")])
@pytest.mark.parametrize("noop", [False, True])
def test_an_unknown_user_or_group(ensured, flag, kind, noop):
    error = ensured("true", flag, "nosuch", noop=noop)["error"]
    assert error == f'could not lookup {kind} "nosuch": {kind}: unknown {kind} nosuch'


def test_an_unknown_user_of_a_command_that_does_not_run(ensured):
    event = ensured("true", "--user", "nosuch", "--creates", "/")
    assert (event["changed"], event["failed"]) == (False, False)


@pytest.mark.parametrize("guard", ["", ", onlyif: 'true'"])
def test_in_noop_an_earlier_resource_may_create_the_user(ccm, tmp_path, guard):
    """Q63."""
    later = f"- exec: {{name: later, command: 'true', user: nosuch{guard}}}"
    (tmp_path / "m.yaml").write_text(f"ccm:\n  resources:\n    - exec: {{name: useradd nosuch}}\n    {later}\n")
    assert "exec#later changed" in ccm("apply", "m.yaml", "--noop").out
    (tmp_path / "m.yaml").write_text(f"ccm:\n  resources:\n    {later}\n")
    assert "exec#later failed" in ccm("apply", "m.yaml", "--noop").out


@root
def test_only_root_may_run_commands_as_another_user(ensured, tmp_path, as_unprivileged_user):
    tmp_path.chmod(0o777)
    as_unprivileged_user()
    assert ensured("true", "--user", "daemon", noop=True)["error"] == "only root may run commands as user daemon"
    assert ensured("true", "--group", "adm", noop=True)["error"] == "only root may run commands as group adm"
    assert ensured("true", "--user", "nobody", "--group", "0", noop=True)["error"] == ""


@root
def test_the_time_of_another_users_command_ends():
    with pytest.raises(CommandTimedOut):
        run(["sleep", "1000"], run_as=RunAs(NOBODY.pw_uid, NOBODY.pw_gid, [], None), timeout=300_000_000)


@pytest.mark.parametrize(
    ("who", "step"), [((None, None, [-2]), "setgroups"), ((None, -2, None), "setgid"), ((-2, None, None), "setuid")]
)
def test_what_the_kernel_refuses(who, step):
    with pytest.raises(CommandNotStarted) as caught:
        run(["true"], run_as=RunAs(*who, None))
    assert str(caught.value) in (f"{step} true: invalid argument", f"{step} true: operation not permitted")


def test_a_command_that_cannot_be_written_for_the_other_python(monkeypatch):
    real = os.write

    def write(descriptor, data):
        if "memfd:command" in os.readlink(f"/proc/self/fd/{descriptor}"):
            raise OSError(errno.ENOSPC, "")
        return real(descriptor, data)

    monkeypatch.setattr(os, "write", write)
    with pytest.raises(HostError, match=r"^write the command: no space left on device$"):
        run(["true"], run_as=RunAs(None, None, None, 0o22))


def test_a_python_that_does_not_start(tmp_path, monkeypatch):
    """Its command line has no word of the command, which may be a secret."""
    program = tmp_path / "python"
    program.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/words; env > {tmp_path}/variables\n')
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    before = sorted(os.listdir("/proc/self/fd"))
    with pytest.raises(CommandNotStarted, match=r"/python: exec format error$"):
        run(["true", "hunter2"], environment=["SECRET_X=hunter3"], run_as=RunAs(None, None, None, 0o22))
    assert "hunter" not in (tmp_path / "words").read_text() + (tmp_path / "variables").read_text()
    program.unlink()
    with pytest.raises(CommandNotStarted, match=r"/python: no such file or directory$"):
        run(["true"], run_as=RunAs(None, None, None, 0o22))
    assert sorted(os.listdir("/proc/self/fd")) == before


def test_large_commands_as_another_user():
    """What is to run does not fit in a pipe."""
    word = "x" * 100_000
    assert decode(run(["echo", word, word], run_as=RunAs(None, None, None, 0o22)).stdout) == f"{word} {word}\n"


@pytest.mark.parametrize("name", ["user", "group"])
def test_an_empty_user_or_group_is_refused(name):
    """A lookup without a result would otherwise run the command as root."""
    with pytest.raises(InvalidResource, match=f"^{name} cannot be empty$"):
        EXEC.validate(Properties(complete(EXEC, {"name": "true", name: ""})))


@pytest.mark.parametrize("umask", ["22", "0888", "1000", "a"])
def test_an_invalid_umask(umask):
    with pytest.raises(InvalidResource, match=f'^umask "{umask}" is not an octal number from 0000 to 0777$'):
        EXEC.validate(Properties(complete(EXEC, {"name": "true", "umask": umask})))


def test_what_undoes_a_command_is_the_same_user():
    given = {"name": "true", "user": "nobody", "group": "adm", "umask": "0077", "meta": {"undo": "false"}}
    undone = REVERSAL.undone(Properties(complete(EXEC, given)), None)
    assert {name: undone[name] for name in ("user", "group", "umask")} == {
        name: given[name] for name in ("user", "group", "umask")
    }
