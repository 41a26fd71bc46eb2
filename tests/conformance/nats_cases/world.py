# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The `nats` of a recorded case: a server for this case alone, contexts that lead to it, acts, and what it has then.

NOTES.md lists the keys.
"""

from __future__ import annotations

import contextlib
import io
import json
import pathlib
import subprocess
import tarfile
import time

from .server import Server

ENTRY = {"cluster": "c", "service": "s", "protocol": "p", "port": 1, "priority": 1}
MANY = "choria.ccm.registration.v1.c.p.s"


class World:
    """The server of one case; `scratch` is the directory of the case, with its marks."""

    def __init__(self, scratch, spec):
        self.scratch, self.spec = scratch, spec
        settings = spec.get("server", "")
        self.off = settings == "off"
        self.server = Server(f"{scratch.dir}/nats", jetstream=spec.get("jetstream", True))
        self.heard = []
        self.subscriptions = []

    @property
    def port(self):
        return self.server.port

    def begin(self):
        """Write the contexts, and start the server. The files of the case are there."""
        folder = pathlib.Path(self.scratch.dir, "home/.config/nats/context")
        folder.mkdir(parents=True)
        contexts = {"CCM": {"url": self.server.url}, **self.spec.get("contexts", {})}
        for name, context in contexts.items():
            if context is not None:
                text = context if isinstance(context, str) else json.dumps(self.scratch.fill(context))
                (folder / f"{name}.json").write_text(text)
        if not self.off:
            self.server.settings = self.scratch.fill(self.spec.get("server", ""))
            self.server.login = self.scratch.fill(self.spec.get("admin", {}))
            self.start()

    def start(self):
        self.server.start()
        self.subscriptions = [self.server.connection.subscribe(subject) for subject in self.spec.get("listen", [])]
        self.server.connection.flush()

    def end(self):
        self.server.stop()

    def act(self, acts):
        for given in acts:
            kind = next(name for name in ACTS if name in given)
            ACTS[kind](self, given, given[kind])

    def state(self, want):
        """What the server has now, in the shape of WANT."""
        readers = {"streams": self._settings, "messages": self._messages, "kv": self._value}
        seen = {}
        for part, asked in want.items():
            if part == "heard":
                seen[part] = self._heard()
            else:
                seen[part] = {name: readers[part](name, shape) for name, shape in asked.items()}
        return seen

    def _settings(self, name, shape):
        found = self.server.connection.stream(name)
        return found and {setting: found["config"].get(setting) for setting in shape or found["config"]}

    def _messages(self, name, _shape):
        return [readable(message) for message in self.server.connection.stored(name)]

    def _value(self, url, _shape):
        value = self.server.connection.value(*place(url)[1:])
        return value if value is None else value.decode()

    def _heard(self):
        return [
            readable(message) for number in self.subscriptions for message in self.server.connection.received_by(number)
        ]


def readable(message):
    """A message as cases write it."""
    text = message.data.decode(errors="replace")
    with contextlib.suppress(ValueError):
        text = json.loads(text)
    return {"subject": message.subject, **({"headers": message.headers} if message.headers else {}), "data": text}


def place(url):
    """Scheme, bucket and key of kv://BUCKET/KEY or obj://BUCKET/KEY."""
    scheme, _sign, rest = url.partition("://")
    bucket, _sign, key = rest.partition("/")
    return scheme, bucket, key


def archive(files, fill):
    """A tar.gz of files; {link: TARGET} in place of a text is a link."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as tar:
        for path, content in files.items():
            entry = tarfile.TarInfo(path)
            entry.mode = 0o644
            data = b""
            if isinstance(content, dict):
                entry.type, entry.linkname = tarfile.SYMTYPE, content["link"]
            else:
                data = fill(content).encode()
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    return made.getvalue()


def content(world, given):
    """The bytes that an act sends: `value`, a text or what JSON can hold, or `tar`."""
    if "tar" in given:
        return archive(given["tar"], world.scratch.fill)
    value = world.scratch.fill(given.get("value", ""))
    return (value if isinstance(value, str) else json.dumps(value)).encode()


def bucket(world, _given, url):
    world.server.connection.make_bucket(*place(url)[:2])


def put(world, given, url):
    store(world, url, content(world, given))


def putfile(world, given, url):
    store(world, url, pathlib.Path(world.scratch.dir, given["from"]).read_bytes())


def store(world, url, data):
    scheme, *where = place(url)
    connection = world.server.connection
    (connection.put_value if scheme == "kv" else connection.put_object)(*where, data)


def delete(world, _given, url):
    scheme, *where = place(url)
    connection = world.server.connection
    (connection.remove_value if scheme == "kv" else connection.remove_object)(*where)


def purge(world, _given, url):
    world.server.connection.remove_value(*place(url)[1:], history=True)


def stream(world, _given, settings):
    world.server.connection.api(f"STREAM.CREATE.{settings['name']}", settings)


def publish(world, given, subject):
    world.server.connection.publish(subject, content(world, given), given.get("headers"))


def many(world, _given, count):
    """So many registrations, each with its own address."""
    for number in range(count):
        address = f"10.0.{number // 256}.{number % 256}"
        data = json.dumps({**ENTRY, "address": address}).encode()
        world.server.connection.send(f"{MANY}.{address.replace('.', '_')}.{number:x}", data)
    connection = world.server.connection
    while connection.stream("REGISTRATION")["state"]["messages"] < count:
        time.sleep(0.01)


def watched(world, _given, name):
    """Until a program watches a stream: what comes before is not seen."""
    while not world.server.connection.stream(name)["state"]["consumer_count"]:
        time.sleep(0.01)


def server(world, _given, what):
    world.end() if what == "stop" else world.start()


def sleep(_world, _given, seconds):
    """Until something has expired: nothing can be asked for meanwhile."""
    time.sleep(seconds)


def shell(world, _given, text):
    scratch = world.scratch
    words = ["/bin/sh", "-ec", scratch.fill(text)]
    subprocess.run(words, cwd=scratch.dir, env=scratch.environ({}), check=True, capture_output=True)


ACTS = {
    "bucket": bucket,
    "put": put,
    "putfile": putfile,
    "delete": delete,
    "purge": purge,
    "stream": stream,
    "publish": publish,
    "many": many,
    "watched": watched,
    "server": server,
    "sleep": sleep,
    "sh": shell,
}
