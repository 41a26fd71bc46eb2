# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A connection to a NATS server for tests: JetStream, key-value buckets and object stores, one call at a time.

It knows nothing of the client that is tested, so that what one of them gets wrong the other one does not hide.
"""

from __future__ import annotations

import base64
import collections
import datetime
import hashlib
import json
import os
import socket
import ssl
import time

# A text, a pair of status and headers, and what was sent.
Message = collections.namedtuple("Message", "subject status headers data")
CHUNK = 128 * 1024


class ServerError(Exception):
    """What the server refuses, in its words."""


class Connection:
    """A connection as a user who may do everything. Its calls raise ServerError, or OSError when it is lost."""

    def __init__(self, port, user=None, password=None, token=None, ca=None, cert=None, key=None, patience=10):
        self.end_of_call = patience
        self.socket = socket.create_connection(("127.0.0.1", port), patience)
        self.received = bytearray()
        self.waiting = {}  # what came for a subscription, by its number
        self._line()  # INFO, which comes first and in clear text
        if ca:
            trusted = ssl.create_default_context(cafile=ca)
            if cert:
                trusted.load_cert_chain(cert, key)
            self.socket = trusted.wrap_socket(self.socket, server_hostname="127.0.0.1")
        said = {"verbose": False, "pedantic": False, "headers": True, "no_responders": True, "lang": "tests"}
        given = {"user": user, "pass": password, "auth_token": token}
        said.update({name: value for name, value in given.items() if value is not None})
        self._say(f"CONNECT {json.dumps(said)}")
        self.flush()
        self.inbox = "_INBOX." + os.urandom(12).hex()
        self.answers = self.subscribe(f"{self.inbox}.>")

    def close(self):
        self.socket.close()

    # The protocol: lines, and payloads after those of messages.

    def _say(self, line, payload=None):
        self.socket.sendall(line.encode() + b"\r\n" + (b"" if payload is None else payload + b"\r\n"))

    def _receive(self):
        self.socket.settimeout(self.end_of_call)
        received = self.socket.recv(1 << 16)
        if not received:
            raise ConnectionError("the server closed the connection")
        self.received += received

    def _take(self, size):
        while len(self.received) < size:
            self._receive()
        taken = bytes(self.received[:size])
        del self.received[:size]
        return taken

    def _line(self):
        while b"\r\n" not in self.received:
            self._receive()
        return self._take(self.received.index(b"\r\n") + 2)[:-2].decode()

    def _read(self):
        """Read one thing that the server says; answer whether it is the PONG of a flush."""
        word, *rest = self._line().split()
        if word == "PING":
            self._say("PONG")
        elif word == "-ERR":
            raise ServerError(" ".join(rest).strip("'"))
        elif word in ("MSG", "HMSG"):
            block = self._take(int(rest[-1]) + 2)[:-2]
            length = int(rest[-2]) if word == "HMSG" else 0
            status, headers = parsed(block[:length])
            self.waiting[rest[1]].append(Message(rest[0], status, headers, block[length:]))
        return word == "PONG"

    def flush(self):
        """Return when the server has read everything up to here."""
        self._say("PING")
        while not self._read():
            pass

    def subscribe(self, subject):
        number = str(len(self.waiting) + 1)
        self.waiting[number] = collections.deque()
        self._say(f"SUB {subject} {number}")
        return number

    def received_by(self, number):
        """What has come for a subscription until now."""
        self.flush()
        found = list(self.waiting[number])
        self.waiting[number].clear()
        return found

    def send(self, subject, data, headers=None, reply=""):
        """Send a message, and do not wait for it."""
        if not headers:
            self._say(f"PUB {subject} {reply} {len(data)}", data)
            return
        block = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        block = f"NATS/1.0\r\n{block}\r\n".encode()
        self._say(f"HPUB {subject} {reply} {len(block)} {len(block) + len(data)}", block + data)

    def request(self, subject, data=b"", headers=None):
        """Return the message that answers."""
        reply = f"{self.inbox}.{os.urandom(6).hex()}"
        self.send(subject, data, headers, reply)
        end = time.monotonic() + self.end_of_call
        while time.monotonic() < end:
            while self.waiting[self.answers]:
                answer = self.waiting[self.answers].popleft()
                if answer.subject == reply and answer.status.startswith("503"):
                    raise ServerError(f"no one answers to {subject}")
                if answer.subject == reply:
                    return answer
            self._read()
        raise TimeoutError(f"no answer to {subject}")

    # JetStream

    def publish(self, subject, data, headers=None):
        """Send a message that a stream must store."""
        return fine(self.request(subject, data, headers))

    def api(self, call, asked=None):
        return fine(self.request(f"$JS.API.{call}", b"" if asked is None else json.dumps(asked).encode()))

    def stream(self, name):
        """The settings and the state of a stream; None for one that is not there."""
        try:
            return self.api(f"STREAM.INFO.{name}")
        except ServerError:
            return None

    def stored(self, stream):
        """The messages of a stream, oldest first."""
        state = self.stream(stream)["state"]
        found = []
        for sequence in range(state["first_seq"], state["last_seq"] + 1):
            try:
                entry = self.api(f"STREAM.MSG.GET.{stream}", {"seq": sequence})["message"]
            except ServerError:
                continue  # removed, or replaced by a later one
            _status, headers = parsed(base64.b64decode(entry.get("hdrs", "")))
            found.append(Message(entry["subject"], "", headers, base64.b64decode(entry.get("data", ""))))
        return found

    def last(self, stream, subject):
        """The last message of a subject; None without one."""
        answer = self.request(f"$JS.API.DIRECT.GET.{stream}", json.dumps({"last_by_subj": subject}).encode())
        return None if answer.status.startswith("404") else answer

    # Buckets, by the names that all clients give to their streams and subjects

    def make_bucket(self, scheme, bucket, **more):
        """Make a bucket: `scheme` is kv or obj."""
        common = {"discard": "new", "allow_rollup_hdrs": True, "allow_direct": True, "storage": "file", **more}
        if scheme == "kv":
            subjects, more = [f"$KV.{bucket}.>"], {"max_msgs_per_subject": 1, "deny_delete": True}
        else:
            subjects, more = [f"$O.{bucket}.C.>", f"$O.{bucket}.M.>"], {}
        name = f"{scheme.upper()}_{bucket}"
        return self.api(f"STREAM.CREATE.{name}", {"name": name, "subjects": subjects, **more, **common})

    def value(self, bucket, key):
        """The value of a key; None without one."""
        found = self.last(f"KV_{bucket}", f"$KV.{bucket}.{key}")
        return None if found is None or "KV-Operation" in found.headers else found.data

    def put_value(self, bucket, key, data):
        self.publish(f"$KV.{bucket}.{key}", data)

    def remove_value(self, bucket, key, history=False):
        """Remove a key, with HISTORY its earlier values, too."""
        headers = {"KV-Operation": "PURGE", "Nats-Rollup": "sub"} if history else {"KV-Operation": "DEL"}
        self.publish(f"$KV.{bucket}.{key}", b"", headers)

    def about_object(self, bucket, name):
        """What a bucket says of an object; None for one that was never there."""
        found = self.last(f"OBJ_{bucket}", subject_of(bucket, name))
        return None if found is None else json.loads(found.data)

    def put_object(self, bucket, name, data):
        former = self.about_object(bucket, name)
        identity = os.urandom(11).hex()
        parts = [data[at : at + CHUNK] for at in range(0, len(data), CHUNK)]
        for part in parts:
            self.publish(f"$O.{bucket}.C.{identity}", part)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode()
        about = {"name": name, "bucket": bucket, "nuid": identity, "size": len(data), "chunks": len(parts)}
        about.update(digest=f"SHA-256={digest}", options={"max_chunk_size": CHUNK})
        self._describe(bucket, name, about)
        if former:
            self.api(f"STREAM.PURGE.OBJ_{bucket}", {"filter": f"$O.{bucket}.C.{former['nuid']}"})

    def remove_object(self, bucket, name):
        former = self.about_object(bucket, name)
        self._describe(bucket, name, {**former, "deleted": True, "size": 0, "chunks": 0, "digest": ""})
        self.api(f"STREAM.PURGE.OBJ_{bucket}", {"filter": f"$O.{bucket}.C.{former['nuid']}"})

    def _describe(self, bucket, name, about):
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        data = json.dumps({**about, "mtime": now}).encode()
        self.publish(subject_of(bucket, name), data, {"Nats-Rollup": "sub"})


def subject_of(bucket, name):
    """The subject of what a bucket says of an object."""
    return f"$O.{bucket}.M.{base64.urlsafe_b64encode(name.encode()).decode()}"


def parsed(block):
    """The status, "" for none, and the headers of a message."""
    first, *lines = block.decode(errors="replace").split("\r\n")
    pairs = (line.split(":", 1) for line in lines if ":" in line)
    return first[len("NATS/1.0") :].strip(), {name: value.strip() for name, value in pairs}


def fine(message):
    """The answer of JetStream. Raises its error."""
    answer = json.loads(message.data)
    if "error" in answer:
        raise ServerError(answer["error"].get("description", answer["error"]))
    return answer
