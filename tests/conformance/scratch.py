# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The directory that a recorded case runs in, its servers, and what lies there. With Python 3.9 of Debian 11, too."""

from __future__ import annotations

import base64
import functools
import getpass
import grp
import hashlib
import http.server
import os
import pathlib
import re
import shutil
import stat
import tempfile
import threading

from .nats_cases.world import World

USER = getpass.getuser()
GROUP = grp.getgrgid(os.getgid()).gr_name
VOLATILE = {"event_id", "timestamp", "duration", "mtime"}
OWNED = {"owner": (USER, "@USER@"), "group": (GROUP, "@GROUP@")}
ANSI = re.compile(r"\x1b\[[0-9;]*m")


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves @W@/www: /auth/ asks for ann:s3cret, /token/ for 'X-Token: t0ken'; logs to @W@/www.log."""

    def do_GET(self):
        want = "Basic " + base64.b64encode(b"ann:s3cret").decode()
        if self.path.startswith("/auth/") and self.headers.get("Authorization") != want:
            return self.send_error(401)
        if self.path.startswith("/token/") and self.headers.get("X-Token") != "t0ken":
            return self.send_error(403)
        return super().do_GET()

    def log_request(self, code="-", size="-"):
        with open(os.path.join(self.directory, "..", "www.log"), "a") as log:
            log.write(f"{self.command} {self.path} {int(code)}\n")

    def log_message(self, *args):
        pass


class Scratch:
    """One case's directory, its servers and running programs, and the substitutions both ways."""

    def __init__(self, with_http, nats):
        self.dir = tempfile.mkdtemp(prefix="ccm-e2e-", dir="/tmp")
        os.chmod(self.dir, 0o755)
        for name in ("home", "tmp", "www"):
            os.mkdir(os.path.join(self.dir, name))
        self.server, self.port = None, 0
        if with_http:
            serve = functools.partial(Handler, directory=os.path.join(self.dir, "www"))
            self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve)
            self.port = self.server.server_port
            threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.programs = {}
        self.nats = None if nats is None else World(self, nats)

    def close(self):
        for program in self.programs.values():
            program.end()
        if self.nats:
            self.nats.end()
        if self.server:
            self.server.shutdown()
            self.server.server_close()
        shutil.rmtree(self.dir, ignore_errors=True)

    def fill(self, value):
        """Case text to real text, in any nested value."""
        if isinstance(value, str):
            nats = str(self.nats.port) if self.nats else "0"
            marks = {"@W@": self.dir, "@PORT@": str(self.port), "@NATS@": nats, "@USER@": USER, "@GROUP@": GROUP}
            for mark, real in marks.items():
                value = value.replace(mark, real)
            return value
        if isinstance(value, list):
            return [self.fill(v) for v in value]
        if isinstance(value, dict):
            return {self.fill(k): self.fill(v) for k, v in value.items()}
        return value

    def plain(self, text):
        """Real text to case text."""
        text = ANSI.sub("", text).replace(self.dir, "@W@").replace(f"127.0.0.1:{self.port}", "127.0.0.1:@PORT@")
        if self.nats:
            text = text.replace(f"127.0.0.1:{self.nats.port}", "127.0.0.1:@NATS@")
        text = re.sub(r"(ccm-session-|manifest-|goss-)\d+", r"\1@RANDOM@", text)
        return re.sub(r"Duration: [\d.]+s", "Duration: @TIME@", text)

    def clean(self, value):
        """A parsed document without what differs between two runs."""
        if isinstance(value, str):
            return self.plain(value)
        if isinstance(value, list):
            return [self.clean(v) for v in value]
        if isinstance(value, dict):
            out = {}
            for k, v in value.items():
                if k in VOLATILE or (
                    k == "size" and "checksum" not in value
                ):  # a directory's size is the file system's
                    continue
                real, mark = OWNED.get(k, (None, None))
                out[self.plain(k) if isinstance(k, str) else k] = mark if v == real and real else self.clean(v)
            return out
        return value

    def environ(self, extra):
        env = {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "LANG": "C.UTF-8",
            "HOME": self.dir + "/home",
            "TMPDIR": self.dir + "/tmp",
            "CCM_STATE": self.dir + "/state",
        }
        if "PYTHONPATH" in os.environ:  # the program may be a Python module that is not installed
            env["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, os.environ["PYTHONPATH"].split(os.pathsep)))
        if self.nats:
            env["XDG_CONFIG_HOME"] = self.dir + "/home/.config"
        env.update(self.fill(extra or {}))
        return env

    def lay(self, files):
        for path, spec in (files or {}).items():
            target = pathlib.Path(self.dir, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            if "link" in spec:
                target.symlink_to(self.fill(spec["link"]))
                continue
            if spec.get("dir"):
                target.mkdir(exist_ok=True)
            else:
                target.write_text(self.fill(spec.get("content", "")))
            target.chmod(int(spec.get("mode", "0755" if spec.get("dir") else "0644"), 8))

    def state(self, path):
        """What lies at a path now, or None."""
        path = self.fill(path)
        path = path if os.path.isabs(path) else os.path.join(self.dir, path)
        try:
            st = os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        if stat.S_ISLNK(st.st_mode):
            return {"type": "link", "to": self.plain(os.readlink(path))}
        out = {
            "type": "dir" if stat.S_ISDIR(st.st_mode) else "file",
            "mode": f"{stat.S_IMODE(st.st_mode):04o}",
            "owner": "@USER@" if st.st_uid == os.getuid() else st.st_uid,
            "group": "@GROUP@" if st.st_gid == os.getgid() else st.st_gid,
        }
        if out["type"] == "dir":
            out["entries"] = sorted(os.listdir(path))
            return out
        data = pathlib.Path(path).read_bytes()
        try:
            text = self.plain(data.decode())
        except UnicodeDecodeError:
            text = None
        if text is None or len(text) > 400:
            return out | {"sha256": hashlib.sha256(data).hexdigest()}
        return out | {"content": text}
