# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads contexts of the `nats` command: which servers, and who connects with them (behaviour.md 21.4)."""

from __future__ import annotations

import os
from urllib.parse import unquote, urlsplit

from ..host.errors import errno_of, reason_of
from ..lang.controls import escaped
from ..lang.jsondoc import load_json
from ..lang.yaml import YAMLError
from .errors import NatsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping

    from ..model.values import Value

_PREFIX = "nats connection error: "
#: Bytes of the largest file of a context.
_LARGEST = 1 << 20
_DEFAULT_URL = "nats://127.0.0.1:4222"
_PORT = 4222
_FILES = ("creds", "nkey", "cert", "key", "ca")
_TEXTS = (
    *("url", "user", "password", "token", "user_jwt", "user_seed", "inbox_prefix", "jetstream_domain"),
    *("jetstream_api_prefix", *_FILES),
)
#: Fields of the `nats` command that say how to connect, and that ccm cannot do.
_UNSUPPORTED = (
    *("nsc", "socks_proxy", "windows_cert_store", "windows_cert_match", "windows_cert_match_by"),
    "windows_ca_certs_match",
)
#: The fields that are put into subjects.
_IN_SUBJECTS = ("inbox_prefix", "jetstream_domain", "jetstream_api_prefix")
#: The fields in which the `nats` command resolves variables of the environment.
_EXPANDED = ("url", "token", *_FILES)


class Server:
    """A server of a context; `user` and `password` are those in its URL, None without one."""

    __slots__ = ("host", "password", "port", "tls", "user")

    def __init__(self, host: str, port: int, tls: bool, user: str | None, password: str | None) -> None:
        self.host = host
        self.port = port
        self.tls = tls
        self.user = user
        self.password = password

    @property
    def address(self) -> str:
        """Its address for messages, without credentials."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class NatsContext:
    """How to connect: `name` is for messages, the others are the fields of the file, "" or False where it has none.

    File names are absolute, or as they are in the file without `~` and variables.
    """

    __slots__ = ("name", "servers", "tls_first", *(name for name in _TEXTS if name != "url"))

    user: str
    password: str
    token: str
    user_jwt: str
    user_seed: str
    inbox_prefix: str
    jetstream_domain: str
    jetstream_api_prefix: str
    creds: str
    nkey: str
    cert: str
    key: str
    ca: str

    def __init__(self, name: str, texts: Mapping[str, str], tls_first: bool = False) -> None:
        self.name = name
        self.servers = _servers(name, texts.get("url", "") or _DEFAULT_URL)
        self.tls_first = tls_first
        for field in self.__slots__[3:]:
            setattr(self, field, texts.get(field, ""))

    @property
    def addresses(self) -> str:
        """The addresses of its servers for messages."""
        return ", ".join(server.address for server in self.servers)

    @property
    def described(self) -> str:
        """Its name, and who connects, for messages. A URL with a user and no password has a token there."""
        in_urls = (server.user for server in self.servers if server.user and server.password is not None)
        user = next(in_urls, self.user)
        named = "names this server" if len(self.servers) == 1 else "names these servers"
        return f"{escaped(self.name)} {named}" + (f" and the user {escaped(user)}" if user else "")

    @property
    def api_prefix(self) -> str:
        """What subjects of the API of JetStream begin with."""
        if self.jetstream_api_prefix:
            return self.jetstream_api_prefix.rstrip(".")
        return f"$JS.{self.jetstream_domain}.API" if self.jetstream_domain else "$JS.API"


def read_context(name: str, environment: Mapping[str, str] | None = None) -> NatsContext:
    """Return the context with this name, or in the file with this absolute path.

    `environment` has the variables; without it, this process has them. Raises NatsError, in the original's words for
    a context that is not set, has an invalid name or does not exist; no message holds a value of the file.
    """
    variables = os.environ if environment is None else environment
    if not name:
        raise NatsError("nats context not set", advice="name one with --context or NATS_CONTEXT")
    if os.path.isabs(name):
        path = name
    elif ".." in name or "/" in name or "\0" in name:
        raise NatsError(f"{_PREFIX}invalid context name {escaped(name)}", value=name)
    else:
        path = os.path.join(_directory(variables), f"{name}.json")
    return _context(name, _fields(name, path), variables)


def _directory(variables: Mapping[str, str]) -> str:
    parent = variables.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(parent, "nats", "context")


def _fields(name: str, path: str) -> dict[str, Value]:
    """Return the fields of the file of a context. Raises NatsError."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as file:
            content = file.read(_LARGEST + 1) or b""
    except FileNotFoundError:
        text = f'{_PREFIX}unknown context "{escaped(name)}"'
        raise NatsError(text, value=name, advice=f"{escaped(path)} does not exist") from None
    except (OSError, ValueError) as error:
        raise _invalid(name, f"open {escaped(path)}: {reason_of(errno_of(error))}") from None
    if len(content) > _LARGEST:
        raise _invalid(name, f"{escaped(path)} has more than {_LARGEST >> 20} MiB")
    try:
        found = load_json(content.decode("utf-8")).value
    except (YAMLError, ValueError):
        raise _invalid(name, f"{escaped(path)} is not valid JSON") from None
    if not isinstance(found, dict):
        raise _invalid(name, f"{escaped(path)} must be a JSON object")
    return found


def _context(name: str, fields: Mapping[str, Value], variables: Mapping[str, str]) -> NatsContext:
    for field in sorted(_UNSUPPORTED):
        if fields.get(field):
            raise _invalid(name, f"ccm does not support {field}")
    texts: dict[str, str] = {}
    for field in sorted(_TEXTS):
        value = fields.get(field)
        if value is None:
            continue
        if not isinstance(value, str):
            raise _invalid(name, f"{field} must be text")
        texts[field] = _expanded(name, field, value, variables) if field in _EXPANDED else value
    tls_first = fields.get("tls_first") or False
    if not isinstance(tls_first, bool):
        raise _invalid(name, "tls_first must be true or false")
    for file in _FILES:
        if texts.get(file):
            texts[file] = os.path.expanduser(texts[file])
    for one, other in (("cert", "key"), ("key", "cert"), ("user_jwt", "user_seed"), ("user_seed", "user_jwt")):
        if texts.get(one) and not texts.get(other):
            raise _invalid(name, f"{one} needs {other} too")
    for field in sorted(_IN_SUBJECTS):
        if not _is_subject(texts.get(field, "x") or "x"):
            raise _invalid(name, f"{field} cannot be part of a subject")
    return NatsContext(name, texts, tls_first)


def _expanded(name: str, field: str, text: str, variables: Mapping[str, str]) -> str:
    """Return the text with its variables, `$NAME` and `${NAME}`. Raises NatsError for a variable that is not set.

    Where the text may be a secret itself that has a `$`, no part of it is in the message.
    """
    is_secret = field == "token" or "@" in text
    parts = text.split("$")
    found = [parts[0]]
    for part in parts[1:]:
        variable, braces = part, part[:1] == "{" and "}" in part
        if braces:
            variable, _brace, rest = part[1:].partition("}")
        else:
            end = next((at for at, letter in enumerate(part) if not (letter.isalnum() or letter == "_")), len(part))
            variable, rest = part[:end], part[end:]
        if variable not in variables:
            which = "a variable" if is_secret else f"the variable ${escaped(variable)}"
            raise _invalid(name, f"{which} in {field} is not set")
        found.append(variables[variable] + rest)
    return "".join(found)


def _is_subject(text: str) -> bool:
    """Return whether the text can be the beginning of a subject, or a token of one."""
    return text.isprintable() and not any(letter in text for letter in " *>")


def _servers(name: str, urls: str) -> list[Server]:
    found = [_server(name, url.strip()) for url in urls.split(",") if url.strip()]
    if not found:
        raise _invalid(name, "url has no server")
    return found


def _server(name: str, url: str) -> Server:
    scheme = url.partition("://")[0].lower() if "://" in url else "nats"
    if not scheme.isalnum():
        raise _invalid(name, "url has a server that is not [nats://][USER:PASSWORD@]HOST[:PORT]")
    if scheme not in ("nats", "tls"):
        raise _invalid(name, f"ccm does not support URLs that begin with {escaped(scheme)}://, only nats:// and tls://")
    try:
        parts = urlsplit(url if "://" in url else f"nats://{url}")
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port = "", None
    if not host or not host.isprintable() or " " in host or port == 0:
        raise _invalid(name, "url has a server that is not [nats://][USER:PASSWORD@]HOST[:PORT]")
    user, password = parts.username, parts.password
    return Server(
        host,
        port or _PORT,
        scheme == "tls",
        None if user is None else unquote(user),
        None if password is None else unquote(password),
    )


def _invalid(name: str, text: str) -> NatsError:
    return NatsError(f"{_PREFIX}context {escaped(name)}: {text}", value=name)
