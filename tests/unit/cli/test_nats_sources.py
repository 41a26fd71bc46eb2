# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests, data and values in NATS: commands that read them, publish them, and follow their changes."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
from base64 import urlsafe_b64encode

import pytest

from tests.patience import wait_until
from tests.unit.layout import CCM
from tests.unit.nats_servers import write_context

pytestmark = pytest.mark.starts_processes

SAY = "ccm: {resources: [{exec: {name: /bin/true, refreshonly: true}}]}"


def packed(**files):
    """A gzipped tarball of files; their names have `_` for `.`."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as tar:
        for name, text in files.items():
            data = text if isinstance(text, bytes) else text.encode()
            entry = tarfile.TarInfo(name.replace("_", "."))
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    return raw.getvalue()


@pytest.fixture
def store(nats):
    nats.connection.make_bucket("obj", "B")
    nats.connection.make_bucket("kv", "B")
    nats.connection.put_object("B", "m.tgz", packed(manifest_yaml=SAY))
    nats.connection.put_value("B", "data", b"data: {greeting: hello}")
    return nats.connection


@pytest.mark.parametrize(
    "words",
    [["apply"], ["plan"], ["lint"], ["graph"], ["apply", "--render"], ["drift"], ["orphans"], ["plan", "--json"]],
)
def test_commands_that_read_manifests(ccm, store, words):
    assert ccm("apply", "obj://B/m.tgz").status == 0
    ran = ccm(*words, "obj://B/m.tgz", "--hiera", "kv://B/data")
    assert ran.status == 0, ran.err
    assert ccm(*words, "obj://B/none").err.partition("\n")[0] == "ccm: error: nats: object not found"


def test_the_temporary_directory_is_removed(ccm, store, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "t"))
    (tmp_path / "t").mkdir()
    store.put_object("B", "bad.tgz", b"x" * 100)
    for words in (["apply", "obj://B/m.tgz"], ["apply", "obj://B/bad.tgz"], ["lint", "obj://B/m.tgz"]):
        ccm(*words)
        assert os.listdir(tmp_path / "t") == []


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "unzip failed: EOF"),
        (b"\x1f\x8b", "unzip failed: unexpected EOF"),
        (b"this is no tarball", "unzip failed: gzip: invalid header"),
        (packed(manifest_yaml=SAY)[:-20], "invalid tar file detected"),
        (packed(**{"../manifest_yaml": SAY}), "invalid tar file detected"),
        (packed(other=SAY), "manifest.yaml not found in archive"),
    ],
)
def test_objects_that_are_no_manifests(ccm, store, content, text):
    store.put_object("B", "m.tgz", content)
    ran = ccm("apply", "obj://B/m.tgz")
    assert ran.status == 1
    assert ran.err.startswith(f"ccm: error: {text}")
    assert "Executing" not in ran.out


def test_debug_says_what_is_wrong_in_an_object(ccm, store):
    store.put_object("B", "m.tgz", packed(**{"../manifest_yaml": SAY}))
    ran = ccm("apply", "--debug", "obj://B/m.tgz")
    assert "The object is not unpacked" in ran.out + ran.err
    assert "../manifest.yaml" in ran.out + ran.err


def test_data(ccm, store):
    assert json.loads(ccm("hiera", "parse", "kv://B/data").out) == {"greeting": "hello"}
    store.put_value("B", "data", b"")
    assert ccm("hiera", "parse", "kv://B/data").err == "ccm: error: kv B#data is empty\n"
    store.put_value("B", "data", b'{"data": ')
    assert (
        "failed to parse JSON from kv B#data: unexpected end of JSON input" in ccm("hiera", "parse", "kv://B/data").err
    )


def test_lint_reads_data_of_a_key(ccm, store, tmp_path):
    (tmp_path / "m.yaml").write_text(SAY)
    assert ccm("lint", str(tmp_path / "m.yaml"), "--hiera", "kv://B/data").status == 0
    assert "nats: bucket not found" in ccm("lint", str(tmp_path / "m.yaml"), "--hiera", "kv://NOPE/data").err


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("kvGet('B', 'none')", 'could not get key "none" from bucket "B": nats: key not found'),
        ("kvGet('NOPE', 'k')", 'could not access KV bucket "NOPE": nats: bucket not found'),
        ("kvGet('a b', 'k')", 'could not access KV bucket "a b": nats: invalid bucket name'),
        ("kvGet('', 'k')", "bucket name is required"),
        ("kvGet('B', '')", "key is required"),
    ],
)
def test_values_that_cannot_be_read(ccm, store, expression, text):
    ran = ccm("ensure", "exec", "{{ " + expression + " }}")
    assert text in ran.err.partition("\n")[0]


def test_values_in_all_languages(ccm, store, tmp_path):
    store.put_value("B", "k", b"s3cret")
    (tmp_path / "t.jet").write_text('[[ kvGet("B", "k") ]]')
    (tmp_path / "t.templ").write_text('${ kvGet("B", "k") }')
    (tmp_path / "src").mkdir()
    (tmp_path / "src/t").write_text('{{ kvGet "B" "k" }}')
    owner = f"owner: '{os.geteuid()}', group: '{os.getegid()}', mode: '0644', ensure: present"
    (tmp_path / "m.yaml").write_text(
        f"ccm: {{resources: [{{file: [{{{tmp_path}/a: {{content: \"${{ kvGet('B', 'k') }}\", {owner}}}}},"
        f" {{{tmp_path}/b: {{content: \"${{ template('t.jet') }}${{ template('t.templ') }}\", {owner}}}}}]}},"
        f" {{scaffold: [{{{tmp_path}/c: {{ensure: present, source: {tmp_path}/src, engine: go}}}}]}}]}}"
    )
    ran = ccm("apply", str(tmp_path / "m.yaml"))
    assert ran.status == 0, ran.err
    found = [(tmp_path / name).read_text() for name in ("a", "b", "c/t")]
    assert found == ["s3cret", "s3crets3cret", "s3cret"], ran.out


def test_a_manifest_in_a_file_imports_nothing_of_nats(tmp_path):
    (tmp_path / "m.yaml").write_text(SAY)
    program = (
        "import sys; sys.argv = ['ccm', 'apply', '--no-state', 'm.yaml']\nfrom ccm.cli.main import main\nmain()\n"
        "print([name for name in sys.modules if name.split('.')[0] in ('nats', 'asyncio') or '.nats' in name])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        env=environment(tmp_path),
    )
    assert ran.stdout.splitlines()[-1] == "[]"


def environment(home):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CCM_", "NATS_", "XDG_"))}
    return {**kept, "HOME": str(home), "PYTHONPATH": os.pathsep.join(sys.path), "CCM_STATE": str(home / "state")}


def test_a_server_that_is_away(ccm, tmp_path):
    write_context(tmp_path / "home", url="nats://127.0.0.1:1")
    for words in (["apply", "obj://B/m.tgz"], ["hiera", "parse", "kv://B/k"]):
        ran = ccm(*words)
        assert (ran.status, ran.out) == (1, "")
        assert ran.err == "ccm: error: nats connection error: 127.0.0.1:1: connection refused\n"


def test_a_command_ends_while_a_server_hangs(tmp_path, own_nats_server):
    import signal

    server = own_nats_server()
    write_context(tmp_path, url=server.url)
    os.kill(server.process.pid, signal.SIGSTOP)
    try:
        command = [*CCM, "apply", "obj://B/m.tgz"]
        ran = subprocess.run(command, env=environment(tmp_path), capture_output=True, text=True, check=False)
    finally:
        os.kill(server.process.pid, signal.SIGCONT)
    assert ran.returncode == 1
    assert ran.stderr == f"ccm: error: nats connection error: 127.0.0.1:{server.port}: no answer within 5 s\n"


# Publishing


@pytest.fixture
def site(tmp_path):
    folder = tmp_path / "site"
    (folder / "files").mkdir(parents=True)
    (folder / "manifest.yaml").write_text(SAY)
    (folder / "files/run").write_text("#!/bin/sh\n")
    (folder / "files/run").chmod(0o750)
    (folder / ".git").mkdir()
    (folder / ".git/config").write_text("x")
    return folder


def test_a_manifest_is_published_once(ccm, nats, site, tmp_path):
    refused = ccm("publish", str(site), "obj://S/m.tgz")
    assert (refused.status, refused.err) == (1, "ccm: error: nats: bucket not found\n  --create creates it\n")
    ran = ccm("publish", "--create", str(site), "obj://S/m.tgz")
    assert ran.status == 0, ran.err
    assert "Created the bucket bucket=S" in ran.out
    assert "Published the manifest bucket=S object=m.tgz digest=SHA-256=" in ran.out
    assert "files=2" in ran.out
    before = nats.connection.stored("OBJ_S")
    os.utime(site / "manifest.yaml", (1, 1))
    (site / "manifest.yaml").chmod(0o600)
    again = ccm("publish", "--create", str(site), "obj://S/m.tgz")
    assert "The manifest is published already" in again.out
    assert [each.data for each in nats.connection.stored("OBJ_S")] == [each.data for each in before]
    assert ccm("apply", "obj://S/m.tgz").status == 0
    (site / "files/run").write_text("#!/bin/sh\nexit 1\n")
    assert "Published the manifest" in ccm("publish", str(site), "obj://S/m.tgz").out


def test_publishing_replaces_a_description_that_is_not_valid(ccm, nats, site):
    assert ccm("publish", "--create", str(site), "obj://S/m.tgz").status == 0
    nats.connection.publish("$O.S.M." + urlsafe_b64encode(b"m.tgz").decode(), b"{", {"Nats-Rollup": "sub"})
    ran = ccm("publish", str(site), "obj://S/m.tgz")
    assert (ran.status, ran.err) == (0, "")
    assert "Published the manifest" in ran.out
    assert ccm("apply", "obj://S/m.tgz").status == 0


def test_what_is_packed(tmp_path, site):
    from ccm.manifest.packing import pack

    with open(tmp_path / "x.tgz", "w+b") as file:
        found = pack(str(site), file)
    with tarfile.open(tmp_path / "x.tgz") as tar:
        entries = [(each.name, each.mode, each.uid, each.uname, each.mtime, each.isdir()) for each in tar]
    assert entries == [
        ("files", 0o755, 0, "", 0, True),
        ("files/run", 0o755, 0, "", 0, False),
        ("manifest.yaml", 0o644, 0, "", 0, False),
    ]
    assert (found.files, found.size) == (2, (tmp_path / "x.tgz").stat().st_size)


def test_what_cannot_be_packed(ccm, nats, site):
    (site / "link").symlink_to("/etc/passwd")
    ran = ccm("publish", "--create", str(site), "obj://S/m.tgz")
    assert ran.err.startswith(f"ccm: error: {site}/link is neither a regular file nor a directory\n")
    (site / "link").unlink()
    os.mkfifo(site / "pipe")
    assert f"{site}/pipe is neither a regular file nor a directory" in ccm("publish", str(site), "obj://S/m.tgz").err
    assert nats.connection.stream("OBJ_S") is None


def test_limits_of_what_is_packed(ccm, nats, site, monkeypatch):
    monkeypatch.setattr("ccm.manifest.packing._MOST", 2)
    assert "has more than 2 files and directories" in ccm("publish", str(site), "obj://S/m.tgz").err
    monkeypatch.setattr("ccm.manifest.packing._MOST", 10)
    monkeypatch.setattr("ccm.manifest.packing._LARGEST", 5)
    assert "has more than 0 MiB" in ccm("publish", str(site), "obj://S/m.tgz").err


def test_a_file_that_becomes_shorter(site, tmp_path, monkeypatch):
    from ccm.manifest.packing import pack
    from ccm.model.errors import ManifestError

    monkeypatch.setattr("os.fstat", lambda number, fstat=os.fstat: Longer(fstat(number)))
    with open(tmp_path / "x.tgz", "w+b") as file, pytest.raises(ManifestError, match=r"it changed while it was read$"):
        pack(str(site), file)


class Longer:
    def __init__(self, found):
        self.st_mode, self.st_size = found.st_mode, found.st_size + 1


def test_a_wrong_manifest_is_not_published(ccm, nats, site):
    (site / "manifest.yaml").write_text("ccm: {resources: [{exec: {name: /bin/true, tries: x}}, {fiel: {name: /x}}]}")
    ran = ccm("publish", "--create", str(site), "obj://S/m.tgz")
    assert ran.status == 1
    assert "lists all that it finds; nothing was published" in ran.err
    assert nats.connection.stream("OBJ_S") is None
    (site / "manifest.yaml").unlink()
    missing = ccm("publish", str(site), "obj://S/m.tgz").err
    assert missing.startswith(f"ccm: error: {site}/manifest.yaml does not exist\n")
    assert "is not a directory" in ccm("publish", str(site / "files/run"), "obj://S/m.tgz").err
    assert "/none does not exist\n" in ccm("publish", f"{site}/none", "obj://S/m").err
    assert "/site is a directory\n  a directory goes to obj://" in ccm("publish", str(site), "kv://S/m").err


def test_data_is_published_once(ccm, nats, tmp_path):
    (tmp_path / "d.yaml").write_text("data: {a: 1}")
    words = ["publish", str(tmp_path / "d.yaml"), "kv://S/site.data"]
    assert ccm(*words).err == "ccm: error: nats: bucket not found\n  --create creates it\n"
    ran = ccm(*words, "--create")
    assert "Created the bucket bucket=S" in ran.out
    assert "Published the data bucket=S key=site.data size=12 revision=1" in ran.out
    assert "The data is published already" in ccm(*words, "--create").out
    assert json.loads(ccm("hiera", "parse", "kv://S/site.data").out) == {"a": 1}
    (tmp_path / "d.yaml").write_bytes(b"\xff")
    assert "revision=2" in ccm(*words).out
    assert nats.connection.value("S", "site.data") == b"\xff"
    (tmp_path / "d.yaml").write_text("")
    assert "d.yaml is empty" in ccm(*words).err


def test_what_only_an_expression_can_read_is_published_with_a_warning(ccm, nats, tmp_path):
    (tmp_path / "d.json").write_text('{"a": ')
    ran = ccm("publish", "--create", str(tmp_path / "d.json"), "kv://S/d")
    assert "kvGet() can read this text, --hiera cannot" in ran.out
    assert f"{tmp_path}/d.json" in ran.out
    assert "failed to parse JSON: unexpected end of JSON input" in ran.out
    assert nats.connection.value("S", "d") == b'{"a": '
    (tmp_path / "d.json").rename(tmp_path / "d.txt")
    assert "kvGet()" not in ccm("publish", str(tmp_path / "d.txt"), "kv://S/d").out


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("x", "cannot publish to x"),
        ("http://x/y", "cannot publish to http://x/y"),
        ("obj://B", "key is required for object store manifest source"),
        ("kv://", "bucket name is required for kv hiera data source"),
    ],
)
def test_targets(ccm, site, target, text):
    assert ccm("publish", str(site), target).err.startswith(f"ccm: error: {text}")


# Watching


@pytest.fixture
def watched(nats, watching):
    write_context(watching.directory / "home", url=nats.url)
    return watching


def manifest_with(watching, content):
    return packed(manifest_yaml=json.dumps({"ccm": {"resources": [watching.file("a", content)]}}))


def test_watch_follows_an_object_and_a_key(watched, nats, tmp_path):
    nats.connection.make_bucket("obj", "B")
    nats.connection.make_bucket("kv", "B")
    nats.connection.put_value("B", "data", b"data: {greeting: hello}")
    nats.connection.put_object("B", "m.tgz", manifest_with(watched, "${ Data.greeting } 1"))
    # A path that is joined with the directory of the test would be another address.
    with started(watched, "obj://B/m.tgz", "--hiera", "kv://B/data"):
        assert (tmp_path / "a").read_text() == "hello 1"
        nats.connection.put_value("B", "data", b"data: {greeting: good bye}")
        wait_until(lambda: (tmp_path / "a").read_text() == "good bye 1")
        nats.connection.put_object("B", "m.tgz", manifest_with(watched, "${ Data.greeting } 2"))
        wait_until(lambda: (tmp_path / "a").read_text() == "good bye 2")
        nats.connection.put_object("B", "m.tgz", b"no manifest")
        wait_until(lambda: "the one before stays at work" in watched.out())
        (tmp_path / "a").write_text("spoiled")
        wait_until(lambda: (tmp_path / "a").read_text() == "good bye 2")
        nats.connection.remove_object("B", "m.tgz")
        wait_until(lambda: "nats: object not found" in watched.out())
        nats.connection.put_object("B", "m.tgz", manifest_with(watched, "3"))
        wait_until(lambda: (tmp_path / "a").read_text() == "3")


def test_watch_keeps_the_manifest_while_the_server_is_away(watched, own_nats_server, tmp_path):
    server = own_nats_server()
    write_context(watched.directory / "home", url=server.url)
    server.connection.make_bucket("obj", "B")
    server.connection.put_object("B", "m.tgz", manifest_with(watched, "1"))
    with started(watched, "obj://B/m.tgz"):
        server.kill()
        wait_until(lambda: "A source in NATS cannot be followed, what was read stays at work" in watched.out())
        (tmp_path / "a").write_text("spoiled")
        wait_until(lambda: (tmp_path / "a").read_text() == "1")
        server.start()
        server.connection.put_object("B", "m.tgz", manifest_with(watched, "2"))
        wait_until(lambda: (tmp_path / "a").read_text() == "2")
        wait_until(lambda: "The source is followed again" in watched.out())


def started(watching, source, *words):
    """Start it with an address in place of a path."""
    return watching.started(*words, manifest=Address(source))


class Address:
    """An address, which stays one when it is joined to a directory."""

    def __init__(self, source):
        self.source = source

    def __rtruediv__(self, _directory):
        return self.source


def test_watch_needs_its_bucket(ccm, nats):
    ran = ccm("watch", "obj://B/m.tgz")
    assert (ran.status, ran.err) == (1, "ccm: error: nats: bucket not found\n")


class Followed:
    """Sources that are followed in this process, what was logged, and how many changes there were."""

    def __init__(self, manifest, hiera):
        from ccm.cli.nats_sources import NatsSources
        from ccm.host.event_loop import EventLoop
        from ccm.model.flags import Values
        from ccm.testing import RecordedLog

        self.log, self.changes, self._values = RecordedLog(), 0, Values()
        self._values.manifest, self._values.hiera, self._values.context = manifest, hiera, "CCM"
        self._sources, self._loop = NatsSources(self._values, self.log), EventLoop(lambda: None)

    def __enter__(self):
        self._sources.begin()
        self._sources.watch(self._loop, self._count)
        return self

    def _count(self):
        self.changes += 1

    def said(self, text):
        return [str(line) for line in self.log.lines if text in str(line)]

    def until(self, condition):
        while not condition():
            for note in self._loop.wait(None):
                note()

    def __exit__(self, *_error):
        from ccm.model.flags import NATS

        self._sources.close()
        self._loop.close()
        vars(self._values)[NATS].close()


@pytest.fixture
def key(own_nats_server, tmp_path, monkeypatch):
    """A server of its own that has the key `k` in the bucket `B`."""
    server = own_nats_server()
    monkeypatch.setenv("HOME", str(tmp_path))
    write_context(tmp_path, url=server.url)
    server.connection.make_bucket("kv", "B")
    server.connection.put_value("B", "k", b"1")
    return server


def test_what_watch_says_of_a_server(key):
    with Followed("m.yaml", "kv://B/k") as followed:
        key.connection.put_value("B", "k", b"2")
        followed.until(lambda: followed.changes == 1)
        key.kill()
        followed.until(lambda: followed.said("A source in NATS cannot be followed, what was read stays at work"))
        followed.until(lambda: followed.said("connection refused"))
        assert followed.changes == 1
        key.start()
        followed.until(lambda: followed.said("The source is followed again"))
        assert followed.changes == 2
        assert len(followed.said("connection refused")) == 1


def test_a_bucket_that_is_removed_is_named_and_no_other(key, monkeypatch):
    from ccm.nats import consumer

    monkeypatch.setattr(consumer, "_HEARTBEAT", 0.25)
    monkeypatch.setattr(consumer, "_SILENCE", 0.75)
    key.connection.make_bucket("obj", "GONE")
    with Followed("obj://GONE/m.tgz", "kv://B/k") as followed:
        key.connection.api("STREAM.DELETE.OBJ_GONE")
        followed.until(lambda: followed.said("stream not found"))
        assert all("obj://GONE/m.tgz" in line for line in followed.said("cannot be followed"))
        key.connection.put_value("B", "k", b"2")
        followed.until(lambda: followed.changes == 1)
        key.connection.make_bucket("obj", "GONE")
        followed.until(lambda: followed.said("The source is followed again"))


def test_limits_of_data(ccm, store, monkeypatch):
    monkeypatch.setattr("ccm.data.sources.LIMIT", 5)
    assert "read kv B#data: larger than 5 bytes" in ccm("hiera", "parse", "kv://B/data").err


def test_a_directory_that_is_gone(tmp_path):
    from ccm.manifest.packing import pack
    from ccm.model.errors import ManifestError

    with open(tmp_path / "x.tgz", "w+b") as file, pytest.raises(ManifestError, match=r"^open /nonexistent: no such"):
        pack("/nonexistent", file)


def test_a_full_disk(ccm, store, monkeypatch):
    import errno

    def unlink(path, *given, unlink=os.unlink, **more):
        if str(path).endswith("/.object"):
            raise OSError(errno.ENOSPC, "")
        return unlink(path, *given, **more)

    monkeypatch.setattr("os.unlink", unlink)
    ran = ccm("apply", "obj://B/m.tgz")
    assert ran.status == 1
    assert ran.err.rstrip().endswith("manifest-" + ran.err.rstrip().rpartition("manifest-")[2])
    assert "no space left on device" in ran.err
