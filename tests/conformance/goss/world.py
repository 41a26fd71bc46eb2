# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The small world that goss rules are asked of: files, a web server, a DNS server, programs that answer for others."""

from __future__ import annotations

import contextlib
import getpass
import grp
import http.server
import ipaddress
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
import time

USER = getpass.getuser()
GROUP = grp.getgrgid(os.getgid()).gr_name

SYSTEMCTL = """#!/bin/sh
case "$2 $3" in
"is-enabled up" | "is-active up" | "is-enabled ready" | "is-active manual") exit 0 ;;
esac
exit 3
"""
DPKG_QUERY = """#!/bin/sh
case "$4" in
thing) echo "install ok installed 1.2-3" ;;
held) echo "hold ok installed 2.0.1" ;;
twice) echo "install ok installed 5.10.0"; echo "install ok installed 5.4.0" ;;
gone) echo "deinstall ok config-files 1.0" ;;
*) exit 1 ;;
esac
"""
TEMPLATES = """matching:
  it:
    content: {{ .Env.MARK | toUpper | quote }}
    matches: {{ mkSlice "FROM" "THE" | join " " | trunc 8 | quote }}
{{- range $n := list 1 2 }}
  n{{ $n }}:
    content: {{ $n }}
    matches: {{ if regexMatch "^1" (toString $n) }}1{{ else }}{{ add $n 1 }}{{ end }}
{{- end }}
"""
RECORDS = {
    ("a.test.", 1): ["10.0.0.2", "10.0.0.1"],
    ("a.test.", 28): ["fd00::1"],
    ("six.test.", 28): ["fd00::6"],
    ("alias.test.", 5): ["a.test."],
    ("a.test.", 15): [(10, "mail.a.test."), (20, "spare.a.test.")],
    ("a.test.", 2): ["ns1.a.test.", "ns2.a.test."],
    ("_http._tcp.a.test.", 33): [(1, 5, 8080, "web.a.test.")],
    ("a.test.", 16): ["v=spf1 -all", "second"],
    ("a.test.", 257): [(0, "issue", "ca.test")],
    ("1.0.0.10.in-addr.arpa.", 12): ["a.test."],
}


class Pages(http.server.BaseHTTPRequestHandler):
    """Pages that answer the same to everybody, but for the date."""

    def do_GET(self):
        if self.path == "/hop":
            return self._answer(302, "", Location="/plain")
        if self.path == "/again":
            return self._answer(307, "", Location="/echo")
        if self.path == "/loop":
            return self._answer(302, "", Location="/loop")
        if self.path == "/slow":
            time.sleep(1)  # longer than the timeout of the rules that ask for it, as in the recording
        if self.path == "/auth" and self.headers.get("Authorization") != "Basic YW5uOnMzY3JldA==":
            return self._answer(401, "who?\n")
        if self.path == "/echo":
            return self._echo()
        if self.path == "/json":
            return self._answer(200, '{"name": "ann", "n": [1, 2.5], "on": true}', kind="application/json")
        if self.path in ("/plain", "/slow", "/auth"):
            return self._answer(200, "hello\nworld\n", X_Mark="seen")
        return self._answer(404, "nothing here\n")

    do_POST = do_PUT = do_HEAD = do_GET

    def _echo(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        names = ("User-Agent", "X-One", "Host", "Authorization", "Content-Length")
        lines = [f"{self.command} {body}"]
        lines += [f"{name}: {self.headers[name]}" for name in names if self.headers.get(name) is not None]
        return self._answer(200, "\n".join(lines) + "\n")

    def _answer(self, status, text, kind="text/plain", **headers):
        self.send_response_only(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        if self.command != "HEAD":
            with contextlib.suppress(BrokenPipeError):  # the client may have closed the connection
                self.wfile.write(text.encode())

    def log_message(self, *args):
        pass


class NameServer:
    """Answers over UDP from RECORDS; names that it does not know do not exist, and silent.test gets no answer."""

    def __init__(self):
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self):
        self._socket.close()

    def _serve(self):
        while True:
            try:
                question, sender = self._socket.recvfrom(4096)
            except OSError:
                return
            answer = self._answer(question)
            if answer:
                with contextlib.suppress(OSError):
                    self._socket.sendto(answer, sender)

    def _answer(self, question):
        labels, at = [], 12
        while question[at]:
            labels.append(question[at + 1 : at + 1 + question[at]].decode())
            at += question[at] + 1
        name = ".".join(labels) + "."
        (kind,) = struct.unpack_from("!H", question, at + 1)
        if name == "silent.test.":
            return None
        known = any(name == other for other, _kind in RECORDS)
        answers = b"".join(
            b"\xc0\x0c" + struct.pack("!HHIH", kind, 1, 60, len(data)) + data
            for data in (_data(kind, record) for record in RECORDS.get((name, kind), []))
        )
        count = len(RECORDS.get((name, kind), []))
        counts = struct.pack("!HHHHH", 0x8180 if known else 0x8183, 1, count, 0, 0)
        return question[:2] + counts + question[12 : at + 5] + answers


def _data(kind, record):
    if kind in (1, 28):
        return ipaddress.ip_address(record).packed
    if kind == 16:
        return bytes([len(record)]) + record.encode()
    if kind == 257:
        flag, tag, value = record
        return bytes([flag, len(tag)]) + tag.encode() + value.encode()
    *numbers, name = record if isinstance(record, tuple) else (record,)
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.rstrip(".").split("."))
    return b"".join(struct.pack("!H", number) for number in numbers) + labels + b"\0"


class World:
    """The text, with marks in place of what differs from one world to the next."""

    def __init__(self):
        with contextlib.ExitStack() as opened:
            self.directory = tempfile.mkdtemp(prefix="goss-world-", dir="/tmp")
            opened.callback(shutil.rmtree, self.directory, ignore_errors=True)
            self._lay()
            pages = opened.enter_context(http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages))
            threading.Thread(target=pages.serve_forever, daemon=True).start()
            opened.callback(pages.shutdown)
            names = opened.enter_context(contextlib.closing(NameServer()))
            closed = opened.enter_context(socket.socket())
            closed.bind(("127.0.0.1", 0))
            self._opened = opened.pop_all()
        self.marks = [
            ("@W@", self.directory),
            ("@PORT@", str(pages.server_port)),
            ("@DNS@", str(names.port)),
            ("@CLOSED@", str(closed.getsockname()[1])),
            ("@USER@", USER),
            ("@GROUP@", GROUP),
            ("@UID@", str(os.getuid())),
        ]
        self.search_path = f"{self.directory}/bin:{os.environ['PATH']}"

    def start_sleeper(self):
        """Start the process that cases ask for."""
        sleeper = self._opened.enter_context(subprocess.Popen([self.path("bin/goss-sleeper"), "600"]))
        self._opened.callback(sleeper.kill)

    def close(self):
        self._opened.close()

    def path(self, name):
        return os.path.join(self.directory, name)

    def _lay(self):
        os.chmod(self.directory, 0o755)
        root = pathlib.Path(self.directory)
        (root / "bin").mkdir()
        (root / "dir").mkdir(mode=0o755)
        (root / "dir").chmod(0o2755)
        (root / "empty").write_text("")
        (root / "a").write_text("hello\nworld 42\n# comment\n/slash\n")
        (root / "one").write_text("hello\n")
        (root / "numbers").write_text("12.5\n")
        (root / "crlf").write_bytes(b"first\r\nlast\r\n")
        (root / "json").write_text('{"a": {"b": [1, 2, "three"]}, "s": "x", "t": true, "nothing": null}\n')
        for name, mode in (("a", 0o644), ("one", 0o600), ("empty", 0o640)):
            (root / name).chmod(mode)
        (root / "link").symlink_to("a")
        (root / "dangling").symlink_to("nowhere")
        os.mkfifo(root / "pipe", 0o600)
        for name, text in (("systemctl", SYSTEMCTL), ("dpkg-query", DPKG_QUERY)):
            (root / "bin" / name).write_text(text)
            (root / "bin" / name).chmod(0o755)
        shutil.copy(shutil.which("sleep"), root / "bin" / "goss-sleeper")
        (root / "more.yaml").write_text(f"file:\n  {root}/a:\n    exists: true\n    mode: '0600'\n")
        (root / "templates.yaml").write_text(TEMPLATES)
        (root / "loop.yaml").write_text("gossfile:\n  loop.yaml: {}\n")

    def fill(self, value):
        """What a case says, as it is in this world."""
        if isinstance(value, str):
            for mark, real in self.marks:
                value = value.replace(mark, real)
            return int(value[4:-1]) if value.startswith("int(") and value.endswith(")") else value
        if isinstance(value, list):
            return [self.fill(item) for item in value]
        if isinstance(value, dict):
            return {self.fill(key): self.fill(item) for key, item in value.items()}
        return value

    def plain(self, text):
        """What this world says, as cases write it."""
        for mark, real in self.marks[:4]:
            text = text.replace(real, mark)
        for field, (mark, real) in zip(("owner", "group", "uid"), self.marks[4:], strict=True):
            value = real if field == "uid" else f'"{real}"'
            said = f"@W@/a: {field}: matches expectation: "
            text = text.replace(said + value, said + value.replace(real, mark))
        return text
