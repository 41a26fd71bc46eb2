# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users and groups over files of a test: what is read, and what is refused before anything is done."""

from __future__ import annotations

import os
import pwd

import pytest
from ccm.engine.context import Context
from ccm.engine.run import run_one
from ccm.engine.session import Session
from ccm.host import account_database, homes
from ccm.host.errors import HostError
from ccm.host.machine import Machine
from ccm.host.shadow_programs import ProgramFailed
from ccm.model.decode import decode_properties
from ccm.model.errors import InvalidResource, ResourceFailed
from ccm.model.kinds import decode_value
from ccm.model.provider import ProviderContext
from ccm.model.resource import complete, resource_of
from ccm.resources import account_checks
from ccm.resources.group.type import TYPE as GROUP
from ccm.resources.user import useradd
from ccm.resources.user.type import TYPE as USER
from ccm.test_kit.recorded_log import RecordedLog

ME = pwd.getpwuid(os.getuid())
HASH = "$6$abcdefgh$ijklmnopqrstuvwxyz012345"


def made(of_type, given):
    """Properties of a type, decoded and checked."""
    found = of_type.made(complete(of_type, decode_properties(of_type, given)))
    of_type.validate(found)
    return found


def made_by_undo(of_type, given):
    """Properties that an undo gives, which have to be declared, too."""
    declared = {prop.name: prop for prop in (*of_type.properties, *of_type.undo_properties)}
    for name, value in given.items():
        prop = declared[name]
        assert (value is None and prop.nullable) or decode_value(prop, value) == value
        assert not prop.choices or value in prop.choices
    return of_type.made(complete(of_type, given))


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Files of accounts in a directory; `write(name, text)` replaces one."""
    monkeypatch.setattr(account_database, "DIRECTORY", str(tmp_path))
    monkeypatch.setattr(account_checks.os, "geteuid", lambda: 0)
    monkeypatch.setattr(account_checks, "find_program", lambda name, path: "" if path == str(tmp_path) else name)

    def write(name, text):
        (tmp_path / f"{name}.new").write_bytes(text.encode())
        (tmp_path / f"{name}.new").rename(tmp_path / name)

    write("passwd", f"u:x:{ME.pw_uid}:4000000010:U:/nowhere/u:/bin/sh\nv:x:4000000002:4000000010::/nowhere/u/v:\n")
    write("group", "g:x:4000000010:\none:x:4000000011:u,other\ntwo:x:4000000012:gone\n")
    write("shadow", f"u:{HASH}:1:0:99999:7::21945:\nv:!:1::::::\n")
    write.directory = tmp_path
    return write


def preview(of_type, name, **given):
    """The event of a resource in noop."""
    resource = resource_of(of_type, decode_properties(of_type, {"name": name, **given}))
    of_type.validate(resource.properties)
    return run_one(resource, Context(noop=True))


def read(of_type, name, **given):
    """The state of a resource."""
    provider = of_type.provider(of_type.provider_names[0])(ProviderContext())
    return provider.status(made(of_type, {"name": name, **given}))


def test_a_user_is_read(files):
    found = read(USER, "u", password=HASH, expiry="absent")
    assert found.metadata == {
        "name": "u",
        "provider": "useradd",
        "uid": ME.pw_uid,
        "gid": 4000000010,
        "group": "g",
        "groups": ["one"],
        "home": "/nowhere/u",
        "shell": "/bin/sh",
        "comment": "U",
        "local": True,
        "expiry": "2030-01-31",
    }
    assert (found.ensure, found.has_password) == ("present", True)
    assert not read(USER, "u", password="!").has_password
    assert read(USER, "v", expiry="absent").metadata["expiry"] == "absent"


def test_shadow_is_read_only_for_passwords_and_expiries(files):
    (files.directory / "shadow").unlink()
    os.mkfifo(files.directory / "shadow")
    assert read(USER, "u", shell="/bin/sh").ensure == "present"
    failed = preview(USER, "u", expiry="absent")
    assert failed.errors == [f"{files.directory}/shadow is not a regular file"]


def test_a_hash_may_be_in_passwd(files):
    files("passwd", f"u:{HASH}:4000000001:4000000010::/:\n")
    (files.directory / "shadow").unlink()
    found = read(USER, "u", password=HASH, expiry="absent")
    assert (found.has_password, found.metadata["expiry"]) == (True, "absent")


def test_lines_that_the_c_library_does_not_read_are_no_accounts(files):
    files("group", "broken\n#g:x:1:\n+:::\ng:x:\n:x:1:\ng:x:abc:\nh:x:7:a,,b\nh:x:8:\nk:x:99999999999:\n")
    assert read(GROUP, "g").ensure == "absent"
    assert read(GROUP, "k").ensure == "absent"
    assert (read(GROUP, "h").metadata["gid"], read(GROUP, "h").metadata["members"]) == (7, ["a", "b"])
    files("passwd", "w:x:abc:0::/:\n")
    assert read(USER, "w").ensure == "absent"


def test_the_first_of_two_lines_counts_and_changes_are_seen(files):
    machine = Machine()
    database = account_database.database_of(machine)
    assert database.group("one").members == ["u", "other"]
    assert (database.groups_of("gone"), database.groups_of("nobody")) == (["two"], [])
    assert (database.users_in(4000000010), database.users_with(4000000002)) == (["u", "v"], ["v"])
    files("group", "one:x:5:z\none:x:6:\n")
    assert database.has_changed() and not database.has_changed()
    assert (database.group("one").gid, database.groups_of("z"), database.groups_with(6)) == (5, ["one"], [])
    (files.directory / "group").unlink()
    machine.record_change()
    assert account_database.database_of(machine).group("one") is None


def test_a_file_is_read_once_and_looked_at_when_it_may_have_changed(files, monkeypatch):
    """Where the run acted and where it waited; a change by another program is seen then."""
    read, seen = [], []
    reader, identity = account_database.Reader, account_database.identity_of
    monkeypatch.setattr(account_database, "Reader", lambda path: read.append(path) or reader(path))
    monkeypatch.setattr(account_database, "identity_of", lambda found: seen.append(found) or identity(found))
    machine = Machine()
    provider = USER.provider("useradd")(ProviderContext(machine=machine))
    wanted = made(USER, {"name": "u", "shell": "/bin/sh"})
    for count, passing in enumerate((lambda: None, machine.record_change, machine.before_waiting), 1):
        passing()
        assert [provider.status(wanted).metadata["shell"] for _time in range(3)] == ["/bin/sh"] * 3
        assert ([os.path.basename(path) for path in read], len(seen)) == (["passwd", "group"], 2 * count)
    files("passwd", "u:x:1:2::/:/other\n")
    machine.before_waiting()
    assert provider.status(wanted).metadata["shell"] == "/other"


@pytest.mark.parametrize(
    ("of_type", "name", "given", "file", "text", "part", "expected"),
    [
        (USER, "u", {"shell": "/x"}, "passwd", "u:x:1:2::/:/x\n", "shell", "/x"),
        (USER, "new", {}, "passwd", "new:x:1:2::/:/x\n", "uid", 1),
        (USER, "u", {"ensure": "absent"}, "passwd", "u:x:1:2::/elsewhere:/x\n", "home", "/elsewhere"),
        (USER, "v", {"groups": ["two"]}, "group", "two:x:7:v\n", "groups", ["two"]),
        (USER, "u", {"password": "*"}, "shadow", "u:*:1::::::\n", "uid", ME.pw_uid),
        (GROUP, "one", {"members": ["v"]}, "group", "one:x:7:other,v\n", "members", ["other", "v"]),
        (GROUP, "one", {"ensure": "absent"}, "group", "one:x:8:\n", "gid", 8),
    ],
)
def test_a_change_is_never_decided_on_an_old_look(files, of_type, name, given, file, text, part, expected):
    """Another program changes a file after it was read for the first resource of the run."""
    context = ProviderContext()
    provider, users = (each.provider(each.provider_names[0])(context) for each in (of_type, USER))
    users.status(made(USER, {"name": "u", "password": HASH, "expiry": "2030-01-31"}))
    wanted = made(of_type, {"name": name, **given})
    files(file, text)
    after = provider.status(wanted)
    assert after.metadata[part] == expected
    assert not of_type.shortfall(after, wanted) or given == {"ensure": "absent"}


def test_the_number_of_none_is_one_of_an_account_that_is_there(files):
    """As the C library reads it."""
    files("group", "max:x:4294967295:\nmore:x:4294967296:\n")
    assert (read(GROUP, "max").ensure, read(GROUP, "more").ensure) == ("present", "absent")
    with pytest.raises(InvalidResource, match="gid 4294967295 is no valid number: it must be from 0 to 4294967294"):
        made(GROUP, {"name": "max", "gid": 4294967295})


def test_passwd_must_be_there(files):
    (files.directory / "passwd").unlink()
    failed = preview(USER, "u")
    assert failed.errors == [f"open {files.directory}/passwd: no such file or directory"]
    (files.directory / "passwd").symlink_to("passwd")
    assert preview(USER, "u").errors[0].startswith(f"stat {files.directory}/passwd: too many levels")


def test_accounts_of_other_sources_of_the_name_service(files):
    found = read(USER, "root", groups=["nosuch"], expiry="absent", password="*")
    assert (found.metadata["uid"], found.metadata["local"], found.has_password) == (0, False, False)
    assert preview(USER, "root", uid=0, ensure="present").errors == ()
    failed = preview(USER, "root", expiry="absent")
    assert "expiry cannot be changed here from unknown to absent" in failed.errors[0]
    assert read(GROUP, "root").metadata["local"] is False
    assert preview(GROUP, "root", gid=0).changed is False
    failed = preview(USER, "u", groups=["root"])
    assert failed.errors == [
        "group root is not in /etc/group, but of a directory service: its members cannot be changed here"
    ]


@pytest.mark.parametrize(
    ("of_type", "name", "given", "message"),
    [
        (USER, "u", {"uid": 4000000002}, "uid 4000000002 is that of the user v"),
        (USER, "w", {"uid": 0}, "uid 0 is that of the user "),
        (GROUP, "g", {"gid": 4000000011}, "gid 4000000011 is that of the group one"),
        (GROUP, "g", {"ensure": "absent"}, "group g is the primary group of u, v"),
        (GROUP, "g", {"members": ["nosuch"]}, "member nosuch does not exist"),
        (USER, "v", {"groups": ["nosuch"]}, "group nosuch does not exist"),
        (USER, "v", {"gid": "nosuch"}, "group nosuch does not exist"),
        (USER, "v", {"gid": "4000000099"}, "group 4000000099 does not exist"),
        (USER, "u", {"uid": 4000000003}, "user u cannot get another uid while it has processes: "),
        (USER, "u", {"home": "/x"}, "user u cannot get another home while it has processes: "),
        (USER, "u", {"ensure": "absent"}, "user u cannot be removed while it has processes: "),
    ],
)
def test_what_is_refused_before_anything_is_done(files, of_type, name, given, message):
    failed = preview(of_type, name, **given)
    assert failed.errors[0].startswith(message)


@pytest.mark.parametrize(
    "given",
    [{"gid": "g", "comment": "new"}, {"gid": "4000000010", "comment": "new"}, {"uid": 4000000002, "shell": "/x"}],
)
def test_what_is_right_already_does_not_hinder_another_change(files, given):
    assert (preview(USER, "v", **given).errors, preview(USER, "v", **given).changed) == ((), True)


def test_an_earlier_resource_may_remove_the_obstacle(files):
    """In noop: as in the run, where the first one succeeds."""
    runs = [
        [(USER, "u", {"shell": "/x"}), (USER, "w", {"uid": 4000000002})],
        [(USER, "v", {"shell": "/x"}), (GROUP, "g", {"ensure": "absent"})],
        [(USER, "v", {"shell": "/x"}), (USER, "u", {"ensure": "absent"})],
        [(USER, "v", {"shell": "/x"}), (GROUP, "new", {"gid": 4000000011})],
    ]
    for resources in runs:
        context = Context(noop=True, session=Session())
        for of_type, name, given in resources:
            resource = resource_of(of_type, decode_properties(of_type, {"name": name, **given}))
            event = run_one(resource, context)
            context.session.remember(event)
            assert (event.errors, event.changed) == ((), True)


def test_homes(files, tmp_path, monkeypatch):
    home = tmp_path / "home"

    def of_new():
        return preview(USER, "w", home=str(home), managehome=True, uid=4000000007).errors

    def of_old(name="v"):
        return preview(USER, name, ensure="absent", managehome=True).errors

    files("passwd", f"v:x:4000000002:1::{home}:\nx:x:4000000003:1::relative:\ny:x:4000000004:1:::\n")
    assert of_new() == of_old() == ()
    for make, fault in (
        (home.mkdir, f"belongs to {ME.pw_name}"),
        (home.touch, "is not a directory"),
        (lambda: home.symlink_to("/"), "is a link"),
    ):
        make()
        assert of_new() == [f"the home cannot be made: {home} {fault}"]
        assert of_old() == [f"the home cannot be removed: {home} {fault}"]
        home.rmdir() if home.is_dir() and not home.is_symlink() else home.unlink()
    assert of_old("x") == ["the home cannot be removed: its path is relative"]
    assert of_old("y") == ["the home cannot be removed: its path is empty"]
    files("passwd", f"z:x:4000000005:1::{home}/:\n")
    assert of_old("z") == [f"the home cannot be removed: its path is {home}/"]
    files("passwd", f"v:x:4000000002:1::{home}:\n")
    home.symlink_to(home)
    home = home / "below"
    assert of_new() == [f"the home cannot be made: stat {home}: too many levels of symbolic links"]
    home = tmp_path / "own"
    home.mkdir()
    monkeypatch.setattr(homes, "user_name", str)
    (home / "own").mkdir()
    assert list(homes.of_others(str(home), os.getuid())) == []
    assert list(homes.of_others(str(home), os.getuid() + 1)) == [str(home / "own")]
    assert homes.homes_within("/h/u", {"u": "/h/u", "a": "/h/u", "b": "/h/u/b/", "c": "/h/ux"}, "u") == ["a", "b"]


def test_homes_with_files_and_homes_of_others(files, tmp_path, monkeypatch):
    monkeypatch.setattr(useradd, "of_user", lambda uid: [])
    home = tmp_path / "home"
    home.mkdir()
    files("passwd", f"v:x:{ME.pw_uid}:1::{home}:\nx:x:4000000003:1::{home}/x:\n")
    failed = preview(USER, "v", ensure="absent", managehome=True)
    assert failed.errors == [f"the home cannot be removed: {home} has the home of x"]
    files("passwd", f"v:x:{ME.pw_uid}:1::{home}:\n")
    assert preview(USER, "v", ensure="absent", managehome=True).errors == ()
    monkeypatch.setattr(useradd, "of_others", lambda home, uid: iter([f"{home}/{n}" for n in range(9)]))
    undone = made_by_undo(USER, {"name": "v", "ensure": "absent", "managehome": True, "requires_own_home": True})
    provider = USER.provider("useradd")(ProviderContext())
    with pytest.raises(ResourceFailed) as caught:
        provider.require_possible("remove", undone, provider.status(undone))
    named = f"{home}/0, {home}/1, {home}/2 and more"
    assert str(caught.value) == f"the home cannot be removed: others have files in it: {named}"


def acting(monkeypatch, files, answers):
    """A provider whose programs end with the given exit code after they replaced passwd, by names; and what was run."""
    ran = []

    def run(machine, argv, stdin=b""):
        machine.record_change()
        ran.append([*argv, stdin.decode()] if stdin else list(argv))
        code, passwd = answers.get(argv[0], (0, None))
        if passwd is not None:
            files("passwd", passwd)
        if code:
            raise ProgramFailed(f"{argv[0]} says no", code)

    monkeypatch.setattr(useradd, "change_accounts", run)
    return USER.provider("useradd")(ProviderContext(user_log=RecordedLog())), ran


def test_a_user_without_its_home_is_taken_back(files, monkeypatch):
    passwd = "w:x:4000000009:1::/nowhere/w:\n"
    wanted = made(USER, {"name": "w", "managehome": True, "home": "/nowhere/w", "shell": "/x", "password": HASH})
    made_by = ["useradd", "-m", "-U", "-d", "/nowhere/w", "-s", "/x", "--", "w"]
    for code, message in ((12, "useradd says no"), (0, "useradd did not make the home /nowhere/w")):
        files("passwd", "")
        provider, ran = acting(monkeypatch, files, {"useradd": (code, passwd), "userdel": (0, "")})
        with pytest.raises((HostError, ResourceFailed)) as caught:
            provider.create(wanted, provider.status(wanted))
        assert str(caught.value) == message
        assert ran == [made_by, ["userdel", "--", "w"]]
    # Another program made it meanwhile, or nothing was made.
    for code, text in ((9, passwd), (12, "")):
        files("passwd", "")
        provider, ran = acting(monkeypatch, files, {"useradd": (code, text)})
        with pytest.raises(HostError):
            provider.create(wanted, provider.status(wanted))
        assert ran == [made_by]
    files("passwd", "")
    provider, ran = acting(monkeypatch, files, {"useradd": (12, passwd), "userdel": (1, None)})
    with pytest.raises(HostError):
        provider.create(wanted, provider.status(wanted))
    assert provider.user_log.messages == ["What useradd made is left: userdel says no"]


def test_a_removal_that_fails_says_whether_the_user_is_gone(files, monkeypatch):
    wanted = made(USER, {"name": "v", "ensure": "absent", "managehome": True})
    gone = "the user is removed, but not all that belongs to it: userdel says no"
    for passwd, message in ((None, "userdel says no"), ("", gone)):
        provider, ran = acting(monkeypatch, files, {"userdel": (12, passwd)})
        state = provider.status(wanted)
        with pytest.raises(HostError) as caught:
            provider.remove(wanted, state)
        assert str(caught.value) == message
        assert ran == [["userdel", "-r", "--", "v"]]


def test_the_programs_of_a_change(files, monkeypatch):
    provider, ran = acting(monkeypatch, files, {})
    for given in (
        {
            "uid": 7,
            "gid": "one",
            "groups": ["two"],
            "home": "/x",
            "shell": "/y",
            "comment": "c",
            "expiry": "2030-01-31",
        },
        {"groups": ["two"], "membership": "inclusive"},
        {"password": HASH},
    ):
        wanted = made(USER, {"name": "v", **given})
        provider.change(wanted, provider.status(wanted))
    fields = ["-d", "/x", "-s", "/y", "-c", "c", "-e", "2030-01-31"]
    assert ran == [
        ["usermod", *fields, "-u", "7", "-g", "4000000011", "-a", "-G", "two", "--", "v"],
        ["usermod", "-G", "two", "--", "v"],
        ["chpasswd", "-e", f"v:{HASH}\n"],
    ]
    files("group", "one:x:7:v\ntwo:x:8:v\nthree:x:9:v\n")
    undone = made_by_undo(USER, {"name": "v", "without_groups": ["one", "four"]})
    provider.change(undone, provider.status(undone))
    assert ran[-1] == ["usermod", "-G", "three,two", "--", "v"]


def test_mail_of_others(files, tmp_path, monkeypatch):
    """A user is removed before userdel finds that the mail belongs to another user."""
    monkeypatch.setattr(useradd, "of_user", lambda uid: [])
    monkeypatch.setattr(useradd, "fault_of", lambda home, uid: "")
    settings, mail = tmp_path / "login.defs", tmp_path / "v"
    monkeypatch.setattr(homes, "_LOGIN_SETTINGS", str(settings))
    assert homes.mail_of("v") == "/var/mail/v"
    settings.write_text(f"# MAIL_DIR x\nMAIL_DIR {tmp_path}\n")
    files("passwd", "v:x:4000000002:1::/nowhere/v:\n")
    assert preview(USER, "v", ensure="absent", managehome=True).errors == ()
    mail.touch()
    failed = preview(USER, "v", ensure="absent", managehome=True)
    assert failed.errors == [f"the home cannot be removed: the mail {mail} belongs to {ME.pw_name}"]
    files("passwd", f"v:x:{ME.pw_uid}:1::/nowhere/v:\n")
    assert preview(USER, "v", ensure="absent", managehome=True).errors == ()


def test_lines_that_end_with_cr_lf_are_a_warning(files):
    files("group", "g:x:7:u\r\n")
    log = RecordedLog()
    provider = GROUP.provider("groupadd")(ProviderContext(user_log=log))
    for _time in range(2):
        assert provider.status(made(GROUP, {"name": "g"})).metadata["members"] == ["u\r"]
    path = files.directory / "group"
    (line,) = log.lines
    assert f"Lines of {path} end with CR LF, and the CR is taken as a part of their last field" in str(line)


def test_only_root_changes_accounts(files, monkeypatch):
    monkeypatch.setattr(account_checks.os, "geteuid", lambda: 1000)
    for of_type in (USER, GROUP):
        assert preview(of_type, "new").errors == ["only root can change users and groups"]
        assert preview(of_type, {USER: "u", GROUP: "g"}[of_type]).errors == ()


def test_missing_programs_are_named(files, monkeypatch):
    monkeypatch.setattr(account_checks, "PATH", str(files.directory))
    assert preview(USER, "new").errors == ["useradd, usermod, userdel, chpasswd not found in PATH"]
    assert preview(GROUP, "new").errors == ["groupadd, groupmod, groupdel, gpasswd not found in PATH"]


def test_the_default_directory_of_homes(tmp_path, monkeypatch):
    settings = tmp_path / "useradd"
    monkeypatch.setattr(homes, "_SETTINGS", str(settings))
    assert homes.default_directory() == "/home"
    settings.write_text("# HOME=/x\nGROUP=100\nHOME=/srv/homes\n")
    assert homes.default_directory() == "/srv/homes"


def test_differences(files):
    def shown(of_type, name, **given):
        provider = of_type.provider(of_type.provider_names[0])(ProviderContext())
        properties = made(of_type, {"name": name, **given})
        return [
            (each["before"], each["after"]) for each in provider.differences(properties, provider.status(properties))
        ]

    assert shown(USER, "u", shell="/x", password="*") == [
        ({"shell": "/bin/sh", "password": "another one"}, {"shell": "/x", "password": "REDACTED"})
    ]
    assert shown(USER, "u", shell="/bin/sh") == []
    assert shown(USER, "new", uid=7, groups=["one"]) == [
        ({"ensure": "absent"}, {"ensure": "present", "uid": "7", "groups": "one"})
    ]
    ((before, after),) = shown(USER, "v", ensure="absent")
    assert (before["uid"], after) == ("4000000002", {"ensure": "absent"})
    assert shown(GROUP, "one", members=["v"]) == [({"members": "other, u"}, {"members": "other, u, v"})]
    assert shown(GROUP, "one") == []
    assert shown(GROUP, "new", gid=7) == [({"ensure": "absent"}, {"ensure": "present", "gid": "7", "members": ""})]
