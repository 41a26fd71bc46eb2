# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scaffolds whose source is the address of an archive on a server of this host (behaviour.md 9.2)."""

from __future__ import annotations

import errno
import os
import tarfile
import threading
import time

import pytest
from ccm.data.environment import Environment
from ccm.host import archive_cache
from ccm.host.archive_cache import ArchiveCache
from ccm.model.errors import InvalidResource
from ccm.model.provider import ProviderContext, ProviderOptions
from ccm.model.resource import complete
from ccm.resources.scaffold import fetched
from ccm.resources.scaffold.choria import ChoriaProvider
from ccm.resources.scaffold.facets import RELATIONS, description
from ccm.resources.scaffold.type import TYPE
from ccm.testing import RecordedLog

from tests.patience import PATIENCE
from tests.unit.archive_server import FILES, running, sha256, tarball, zipped
from tests.unit.resources.scaffold.test_rendering import Place

pytestmark = pytest.mark.needs("http")

DATE = "Tue, 24 Nov 2026 10:00:00 GMT"
RENDERED = {"a": "ann\n", "sub": None, "sub/b": "b\n"}
ADVICE = "with a checksum, an archive that was downloaded before is used without asking the server"


@pytest.fixture
def server():
    with running() as made:
        yield made


class Fetching(Place):
    """A place whose source is an address, and a cache of its own."""

    def __init__(self, directory, server):
        super().__init__(directory)
        self.server = server
        self.cache = directory / "cache" / "ccm" / "sources"
        self.said = RecordedLog()

    def run(self, **given):
        return super().run(**{"source": self.server.url(), "user_log": self.said, **given})

    def archives(self):
        """Return the names of all files of the cache but the records."""
        return [name for name in os.listdir(self.cache) if not name.endswith(".json")]


@pytest.fixture
def place(tmp_path, monkeypatch, server):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(archive_cache, "OF_SYSTEM", str(tmp_path / "cache" / "ccm"))
    (tmp_path / "tmp").mkdir()
    made = Fetching(tmp_path, server)
    yield made
    assert os.listdir(tmp_path / "tmp") == []
    assert not made.cache.exists() or not [name for name in os.listdir(made.cache) if name.startswith(".")]


def succeeds(event):
    assert list(event.errors) == []
    return event.changed


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("t.tar.gz", tarball(FILES)),
        ("t.tgz?version=2", tarball(FILES)),
        ("t.tar", tarball(FILES, "")),
        ("t.tar", tarball(FILES, "xz")),
        ("T.TAR.XZ", tarball(FILES, "xz")),
        ("t.tar.bz2", tarball(FILES, "bz2")),
        ("t.zip", zipped(FILES)),
    ],
)
def test_every_kind_of_archive_is_rendered(place, name, data):
    place.server.data = data
    assert succeeds(place.run(source=place.server.url(name)))
    assert place.existing_files() == RENDERED


@pytest.mark.parametrize(
    ("validators", "header"),
    [
        ({"ETag": '"1"'}, "If-None-Match"),
        ({"ETag": 'W/"1"', "Last-Modified": DATE}, "If-None-Match"),
        ({"Last-Modified": DATE}, "If-Modified-Since"),
    ],
)
def test_a_converged_run_asks_once_and_downloads_nothing(place, validators, header):
    place.server.validators = validators
    assert succeeds(place.run())
    assert place.server.taken() == [200]
    before = sorted((entry.name, entry.stat().st_mtime_ns) for entry in os.scandir(place.cache))
    assert not succeeds(place.run())
    assert (place.server.taken(), header in place.server.requests[-1]) == ([304], True)
    assert sorted((entry.name, entry.stat().st_mtime_ns) for entry in os.scandir(place.cache)) == before


def test_another_archive_is_downloaded_and_rendered(place):
    succeeds(place.run())
    place.server.data, place.server.validators = tarball({"a": "new"}), {"ETag": '"2"'}
    assert succeeds(place.run(purge=True))
    assert (place.server.taken(), place.existing_files()) == ([200, 200], {"a": "new", "sub": None})


def test_without_a_tag_and_a_date_each_run_downloads(place):
    place.server.validators = {}
    succeeds(place.run())
    assert not succeeds(place.run())
    assert place.server.taken() == [200, 200]


def test_a_checksum_spares_the_request(place):
    checksum = sha256(place.server.data).upper()
    assert succeeds(place.run(checksum=checksum))
    assert not succeeds(place.run(checksum=checksum))
    assert place.server.taken() == [200]
    place.server.data = tarball({"a": "new"})
    assert succeeds(place.run(checksum=sha256(place.server.data)))
    assert (place.server.taken(), place.existing_files()["a"]) == ([200], "new")
    assert succeeds(place.run(checksum=checksum))
    assert (place.server.taken(), place.existing_files()["a"]) == ([], "ann\n")


@pytest.mark.parametrize("checksum", ["0" * 64, "../../../etc/passwd", "x"])
def test_an_archive_with_another_checksum_is_refused(place, checksum):
    event = place.run(checksum=checksum)
    found = sha256(place.server.data)
    assert event.errors == [
        f'download failed: {place.server.url()}: checksum mismatch, expected "{checksum}" got "{found}"'
    ]
    assert (place.target.exists(), os.listdir(place.cache)) == (False, [])


def test_a_checksum_of_a_directory_is_refused(place):
    with pytest.raises(InvalidResource, match=r"^checksum is only for a source that is fetched$") as caught:
        place.run(source="src", checksum="0" * 64)
    assert caught.value.advice == "remove it, or give the address of an archive as source, http:// or https://"


def test_in_noop_it_is_fetched_and_the_target_stays(place):
    event = place.run(noop=True)
    assert (event.changed, event.noop_message) == (True, "Would have changed 2 scaffold files")
    assert (place.target.exists(), place.server.taken()) == (False, [200])
    assert succeeds(place.run())
    assert place.server.taken() == [304]


@pytest.mark.starts_processes
def test_a_change_asks_once_also_with_commands(place):
    assert succeeds(place.run(post=[{"a": "chmod 0600"}]))
    assert place.server.taken() == [200]
    assert (place.target / "a").stat().st_mode & 0o777 == 0o600


@pytest.mark.starts_processes
def test_each_look_at_the_state_asks_the_server(place):
    """As in several tries of one resource."""
    provider = provider_of(place)
    wanted = properties_of(place, post=[{"a": "true"}], engine="jinja2")
    for _look in range(2):
        assert len(provider.status(wanted).metadata["changed"]) == 2
    assert place.server.taken() == [200, 304]


def test_files_of_an_archive_are_removed(place):
    succeeds(place.run())
    assert succeeds(place.run(ensure="absent"))
    assert (place.target.exists(), place.server.taken()) == (False, [200, 304])
    assert not succeeds(place.run(ensure="absent"))


def test_a_file_that_others_changed_is_repaired(place):
    succeeds(place.run())
    (place.target / "a").write_text("other")
    assert succeeds(place.run())
    assert (place.server.taken(), place.existing_files()) == ([200, 304], RENDERED)


@pytest.mark.parametrize("damage", [b"", b"x", None])
def test_a_damaged_archive_in_the_cache_is_fetched_again(place, damage):
    succeeds(place.run())
    kept = place.cache / place.archives()[0]
    kept.write_bytes(damage) if damage is not None else kept.write_bytes(b"x" + kept.read_bytes()[1:])
    assert not succeeds(place.run())
    assert not succeeds(place.run())
    assert place.server.taken() == [200, 200, 304]
    assert sha256(kept.read_bytes()) == kept.name


@pytest.mark.parametrize("damage", ["", "[]", '{"digest": 5}', "[" * 100_000, '{"digest": "../x"}'])
def test_a_damaged_record_in_the_cache_is_fetched_again(place, damage):
    succeeds(place.run())
    (record,) = place.cache.glob("*.json")
    record.write_text(damage)
    assert not succeeds(place.run())
    assert not succeeds(place.run())
    assert place.server.taken() == [200, 200, 304]


@pytest.mark.parametrize("kind", ["link", "directory", "fifo"])
def test_what_is_no_file_in_the_cache_is_not_read(place, kind):
    succeeds(place.run())
    kept = place.cache / place.archives()[0]
    kept.rename(place.directory / "kept")
    {
        "link": lambda: kept.symlink_to(place.directory / "kept"),
        "directory": kept.mkdir,
        "fifo": lambda: os.mkfifo(kept),
    }[kind]()
    event = place.run()
    if kind == "directory":
        (named,) = (path.stem for path in place.cache.glob("*.json"))
        assert event.errors == [f"download failed: {place.server.url()}: rename {place.cache}/{named}: is a directory"]
    else:
        assert not succeeds(event)
    assert place.server.taken() == [200, 200]


def test_others_may_not_write_to_the_cache(place):
    place.cache.mkdir(parents=True)
    place.cache.chmod(0o777)
    assert succeeds(place.run())
    assert not succeeds(place.run())
    assert place.server.taken() == [200, 200]
    shown = f"{place.server.url()} is not kept for later runs: {place.cache} can be changed by other users"
    assert place.said.lines == [("WARN", shown, {})] * 2
    assert os.listdir(place.cache) == []


def test_without_a_cache_a_wrong_checksum_and_a_missing_archive_fail(place):
    place.cache.parent.parent.mkdir(parents=True)
    place.cache.parent.write_text("")
    assert place.error(checksum="0" * 64).startswith(f"download failed: {place.server.url()}: checksum mismatch")
    place.server.answer = lambda handler: handler.reply(404)
    assert place.error() == f"download failed: {place.server.url()}: HTTP request failed with status 404: 404 Not Found"
    assert "is not kept for later runs: open " in place.said.lines[0][1]


@pytest.mark.parametrize(
    ("given", "user", "credentials", "status"),
    [
        ({}, "", "ann:word", 401),
        ({"username": "ann"}, "", "ann:word", 401),
        ({"username": "ann", "password": "wrong"}, "", "ann:word", 401),
        ({"username": "ann", "password": "word"}, "", "ann:word", 200),
        ({}, "ann:word@", "ann:word", 200),
    ],
)
def test_credentials(place, given, user, credentials, status):
    place.server.credentials = credentials
    event = place.run(source=place.server.url(user=user), **given)
    if status == 401:
        assert event.errors == [
            f"download failed: {place.server.url()}: HTTP request failed with status 401: 401 Unauthorized"
        ]
    else:
        succeeds(event)
    shown = repr((event.as_dict(), place.said.lines)) + "".join(path.read_text() for path in place.cache.glob("*.json"))
    for secret in ("word", "wrong"):
        assert secret not in shown.replace("password", "")


def test_headers_are_shown_nowhere(place):
    event = place.run(headers={"X-Token": "hidden"})
    kept = "".join(path.read_text() for path in place.cache.glob("*.json"))
    assert "X-Token" in repr(event.as_dict())
    assert "hidden" not in repr(event.as_dict()) + repr(place.said.lines) + kept


def test_other_credentials_are_not_given_what_the_cache_has(place):
    place.server.credentials = "ann:word"
    succeeds(place.run(username="ann", password="word"))
    assert place.error(username="bob", password="word").endswith("status 401: 401 Unauthorized")
    assert "If-None-Match" not in place.server.requests[-1]
    assert place.error(source=place.server.url(), headers={"X": "1"}).endswith("status 401: 401 Unauthorized")


def test_headers_are_sent_and_not_to_another_server(place):
    with running() as other:
        elsewhere = other.url().replace("127.0.0.1", "localhost")
        place.server.answer = lambda handler: handler.reply(302, {"Location": elsewhere})
        assert succeeds(place.run(headers={"X-Token": "hidden"}))
        assert not succeeds(place.run(headers={"X-Token": "hidden"}))
    assert place.server.requests[0]["X-Token"] == "hidden"
    assert ("X-Token" in other.requests[0], other.taken()) == (False, [200, 304])


def test_a_redirect_without_end_fails(place):
    place.server.answer = lambda handler: handler.reply(302, {"Location": "/t.tar.gz"})
    assert (
        place.error()
        == f"download failed: {place.server.url()}: failed to perform HTTP request: stopped after 10 redirects"
    )


def test_a_header_that_cannot_be_sent_fails(place):
    assert place.error(headers={"X": "a\nb"}).endswith('invalid header field value for "X"')
    assert place.server.requests == []


def test_a_truncated_answer_fails_and_leaves_nothing(place):
    data = place.server.data
    place.server.answer = lambda handler: handler.reply(200, {}, data[:100], len(data))
    error = f"connection closed after 100 of {len(data)} bytes"
    assert place.error() == f"download failed: {place.server.url()}: failed to perform HTTP request: {error}"
    assert (os.listdir(place.cache), place.target.exists()) == ([], False)


@pytest.mark.parametrize("status", [403, 404, 500])
def test_a_server_that_fails_fails_the_resource_and_changes_nothing(place, status):
    succeeds(place.run())
    (place.target / "a").write_text("other")
    place.server.answer = lambda handler: handler.reply(status)
    assert f"download failed: {place.server.url()}: HTTP request failed with status {status}" in place.error()
    assert place.existing_files()["a"] == "other"
    assert succeeds(place.run(checksum=sha256(place.server.data)))


def test_a_server_that_is_down_fails_the_resource_with_advice(place, server):
    succeeds(place.run())
    server.shutdown()
    server.server_close()
    with pytest.raises(fetched.ResourceFailed) as caught:
        fetched.FetchedSource(provider_of(place), properties_of(place))
    assert (
        str(caught.value)
        == f"download failed: {place.server.url()}: failed to perform HTTP request: connection refused"
    )
    assert (caught.value.property, caught.value.advice) == ("source", ADVICE)
    assert not succeeds(place.run(checksum=sha256(server.data)))
    assert place.error().endswith("connection refused")


def provider_of(place):
    environment = Environment({}, {"who": "ann"}, {}, str(place.directory))
    return ChoriaProvider(ProviderContext(user_log=place.said, environment=environment))


def properties_of(place, **given):
    return TYPE.made(complete(TYPE, {"name": str(place.target), "source": place.server.url(), **given}))


def member(name, kind, target=""):
    info = tarfile.TarInfo(name)
    info.type = kind
    info.linkname = target
    return info


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (tarball({"../a": "x"}), "../a: "),
        (tarball({"sub/../../a": "x"}), "sub/../../a: "),
        (tarball({}, more=[member("l", tarfile.SYMTYPE, "/etc")]), "l: it is a symbolic link, and only files and "),
        (tarball({"a": "x"}, more=[member("l", tarfile.LNKTYPE, "a")]), "l: it is a hard link, and only files and "),
        (tarball({}, more=[member("d", tarfile.CHRTYPE)]), "d: "),
        (tarball({}, more=[member("p", tarfile.FIFOTYPE)]), "p: "),
        (tarball({"_partials/x": "x"}, more=[member("_partials/l", tarfile.SYMTYPE, "/etc")]), "_partials/l: it is a "),
        (tarball(FILES)[:-20], ""),
        (b"no archive", ""),
        (b"", ""),
        (tarball({"zeros": "\0" * (80 << 20)}), "zeros: the archive unpacks to more than 100 times its size"),
    ],
    ids=[
        "above",
        "above a directory",
        "link",
        "hard link",
        "device",
        "pipe",
        "partial",
        "cut",
        "text",
        "empty",
        "bomb",
    ],
)
def test_a_hostile_or_damaged_archive_is_refused(place, data, reason):
    place.server.data = data
    error = place.error()
    assert error.startswith(f"cannot unpack {place.server.url()}: {reason}")
    assert (place.target.exists(), sorted(os.listdir(place.directory))) == (False, ["cache", "outside", "src", "tmp"])


@pytest.mark.parametrize("name", ["../a", "/etc/a"])
def test_a_zip_that_leads_out_is_refused(place, name):
    place.server.data = zipped({name: "x"})
    assert place.error(source=place.server.url("t.zip")).startswith(
        f"cannot unpack {place.server.url('t.zip')}: {name}: "
    )


def test_owners_and_modes_of_an_archive_mean_nothing(place):
    info = tarfile.TarInfo("a")
    info.mode, info.uid, info.gid = 0o4000, 12345, 12345
    closed = member("sub", tarfile.DIRTYPE)
    closed.mode = 0
    place.server.data = tarball({}, more=[closed, info])
    assert succeeds(place.run())
    found = (place.target / "a").stat()
    assert (found.st_uid, found.st_mode & 0o7777) == (os.geteuid(), 0o644)


def test_too_large_an_archive_is_refused(place, monkeypatch):
    monkeypatch.setattr(ProviderOptions, "download_limit", 100)
    assert place.error().endswith("the file is larger than 100 bytes, the limit of downloads")


def test_a_full_disk_fails_and_leaves_nothing(place, monkeypatch):
    def full(*_arguments, **_more):
        raise OSError(errno.ENOSPC, "")

    monkeypatch.setattr("ccm.host.descriptors.write_bytes", full)
    error = place.error()
    assert error.startswith(f"download failed: {place.server.url()}: could not copy file: write ")
    assert error.endswith(": no space left on device")
    assert (os.listdir(place.cache), place.target.exists()) == ([], False)


def test_a_full_disk_for_what_is_unpacked_fails_and_leaves_nothing(place, monkeypatch):
    def full(*_arguments):
        raise OSError(errno.ENOSPC, "")

    monkeypatch.setattr("ccm.host.archives.tree.Tree.write", full)
    error = place.error()
    assert error.startswith(f"cannot unpack {place.server.url()}: unpack {place.directory}/tmp/scaffold-")
    assert (error.endswith(": no space left on device"), place.target.exists()) == (True, False)


def test_a_record_that_cannot_be_written_fails(place, monkeypatch):
    def full(*_arguments, **_more):
        raise OSError(errno.EDQUOT, "")

    monkeypatch.setattr(archive_cache, "HiddenFile", full)
    assert place.error().endswith(".json: disk quota exceeded")


def test_a_cache_that_cannot_be_written_to_is_a_warning(place, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    assert succeeds(place.run())
    shown = f"{place.server.url()} is not kept for later runs: {place.cache} cannot be written to"
    assert place.said.lines == [("WARN", shown, {})]


def test_what_a_killed_run_left_in_the_cache_is_removed(place):
    succeeds(place.run())
    left = place.cache / ".x.ccm-new"
    left.write_text("begin")
    place.server.validators = {"ETag": '"2"'}
    assert not succeeds(place.run())
    assert not left.exists()


def test_two_runs_at_once(place):
    """Each gets the whole archive, also when both write it."""
    both = threading.Barrier(2)

    def answer(handler):
        both.wait(PATIENCE)
        handler.reply(200, {"ETag": '"1"'}, place.server.data)

    place.server.answer = answer
    events = []
    threads = [
        threading.Thread(target=lambda at=at: events.append(Place.run(at, source=place.server.url())))
        for at in (place, second(place))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    place.server.answer = None
    assert [event.errors for event in events] == [(), ()]
    assert not succeeds(place.run())
    assert place.server.taken() == [200, 200, 304]


def second(place):
    other = object.__new__(Fetching)
    other.__dict__.update(vars(place), target=place.directory / "out2")
    return other


def test_the_cache_is_bounded(place, monkeypatch):
    monkeypatch.setattr(archive_cache, "MOST_FILES", 4)
    for number in range(4):
        place.server.data = tarball({"a": str(number)})
        succeeds(place.run(source=place.server.url(f"{number}.tgz")))
        for path in place.cache.iterdir():
            os.utime(path, (time.time() - 10, path.stat().st_mtime - 10))
    assert len(os.listdir(place.cache)) == 4
    assert sha256(place.server.data) in place.archives()


@pytest.mark.parametrize("limit", [("MOST_BYTES", 1), ("LONGEST_UNUSED", 100 * 86_400)])
def test_what_was_not_used_for_long_or_is_too_much_is_removed(place, monkeypatch, limit):
    monkeypatch.setattr(archive_cache, *limit)
    place.cache.mkdir(parents=True)
    for path in (place.cache.parent, place.cache):
        path.chmod(0o700)
    old, young = place.cache / "old", place.cache / "young"
    for path, days in ((old, 101), (young, 99)):
        path.write_text("text")
        os.utime(path, (0, time.time() - days * 86_400))
    succeeds(place.run())
    assert (old.exists(), young.exists()) == (False, limit[0] == "LONGEST_UNUSED")
    assert len(place.archives()) == (2 if young.exists() else 1)


def test_a_use_is_noted_once_a_day(place):
    succeeds(place.run())
    for path in place.cache.iterdir():
        os.utime(path, (0, 1000))
    succeeds(place.run())
    assert all(path.stat().st_mtime > 1000 for path in place.cache.iterdir())


@pytest.mark.parametrize(
    ("environ", "path"),
    [({"XDG_CACHE_HOME": "/x"}, "/x/ccm/sources"), ({"XDG_CACHE_HOME": "x", "HOME": "/h"}, "/h/.cache/ccm/sources")],
)
def test_where_the_cache_is(monkeypatch, environ, path):
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert archive_cache.cache_directory() == path
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert archive_cache.cache_directory() == "/var/cache/ccm/sources"


def test_the_cache_is_for_its_user_alone(place):
    succeeds(place.run())
    assert [path.stat().st_mode & 0o777 for path in (place.cache.parent, place.cache)] == [0o700] * 2
    assert {path.stat().st_mode & 0o777 for path in place.cache.iterdir()} == {0o600}
    assert ArchiveCache(str(place.cache)).archive("0" * 64) is None


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("http://h", "source must have a filename in the path"),
        ("http://h/x", "source filename must end in .zip, .tar.gz, .tgz, or .tar"),
        ("https://h:x/a.tgz", "invalid source: Port could not be cast to integer value as 'x'"),
        ("http://h:0/a.tgz", "invalid source: missing protocol scheme or port"),
        ("http://ann:word@h:x/a.tgz", "invalid source: the address cannot be read"),
        ("http://h/%zz.tgz", 'invalid source: invalid URL escape "%zz"'),
    ],
)
def test_an_address_without_an_archive_is_refused(place, source, message):
    with pytest.raises(InvalidResource) as caught:
        place.run(source=source)
    assert (str(caught.value), caught.value.property) == (message, "source")


def test_another_scheme_is_refused(place):
    event = place.run(source="ftp://ann:word@h/a.tgz")
    assert event.errors == [
        "source must be a directory of templates, or begin with http:// or https://: ftp://REDACTED@h/a.tgz"
    ]


def test_what_the_original_and_lint_say_of_an_address():
    facets = description()
    values = {"source": "https://h/a.tgz", "engine": "jet"}
    assert facets.portability["source"]("https://h/a.tgz") == "the original fetches no source"
    assert [facets.portability["source"](value) for value in ("src", "ftp://h/a", 5)] == [""] * 3
    assert (facets.templates(values), facets.addresses["source"][0]) == (None, ("http", "https"))
    extensions = {prop.name: prop.extension for prop in TYPE.own_properties if prop.extension}
    assert extensions == {
        name: f"the original ignores {name}: it fetches no source"
        for name in ("headers", "username", "password", "checksum")
    }


def test_an_address_is_not_watched(place):
    local = TYPE.made(complete(TYPE, {"name": "/t", "source": "/s"}))
    assert RELATIONS.watched_trees(local) == ["/t", "/s"]
    assert RELATIONS.watched_trees(properties_of(place)) == [str(place.target)]
    assert [found.name for found in RELATIONS.wants(properties_of(place))] == [str(place.target)]
