# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""URLs as maps of their parts and back. Rules: Go's ``net/url``."""

from __future__ import annotations

from ...go.kinds import kind_name
from ...go.quoting import quote
from ...go.values import decoded, encoded
from ..function import CallError, Function
from .addresses import AddressFault, check_ipv6

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ALWAYS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~"
#: What each part of a URL holds without being escaped.
_PATH = frozenset(_ALWAYS + "$&+,/:;=@")
_HOST = frozenset(_ALWAYS + "!\"$&'()*+,:;<=>[]")
_USER = frozenset(_ALWAYS + "$&+,;=")
_FRAGMENT = frozenset(_ALWAYS + "!$&()*+,/:;=?@")
_USERINFO = frozenset(_ALWAYS + ":!$&'()*+,;=%@")
_HEX = frozenset("0123456789abcdefABCDEF")
#: What an escaped form may hold besides, if it is written like that.
_TOLERATED = frozenset("!$&'()*+,;=:@[]%")


class _Fault(Exception):
    pass


class _URL:
    """The parts of a URL, unescaped; texts here are bytes as letters of Latin 1."""

    def __init__(self) -> None:
        self.scheme = self.opaque = self.host = self.path = self.query = self.fragment = ""
        #: User, and password if there is one.
        self.user: tuple[str, ...] = ()

    @property
    def user_text(self) -> str:
        """User and password, escaped."""
        return ":".join(_escaped(part, _USER) for part in self.user)


def _letters(text: str) -> str:
    return text if text.isascii() else encoded(text).decode("latin-1")


def _text(letters: str) -> str:
    return letters if letters.isascii() else decoded(letters.encode("latin-1"))


def _quoted(letters: str) -> str:
    return quote(_text(letters))


def _escaped(letters: str, plain: frozenset[str]) -> str:
    return "".join(char if char in plain else f"%{ord(char):02X}" for char in letters)


def _unescaped(letters: str, in_host: bool = False, in_zone: bool = False) -> str:
    """Return ``letters`` with ``%41`` read as what it means. Raises _Fault for what must not be there."""
    out = []
    at = 0
    while at < len(letters):
        char = letters[at]
        if char != "%":
            if (in_host or in_zone) and char < "\x80" and char not in _HOST:
                raise _Fault(f"invalid character {_quoted(char)} in host name")
            out.append(char)
            at += 1
            continue
        digits = letters[at + 1 : at + 3]
        if len(digits) < 2 or not _HEX.issuperset(digits):
            raise _Fault("invalid URL escape " + _quoted(letters[at : at + 3]))
        value = chr(int(digits, 16))
        refused = value < "\x80" if in_host else in_zone and value != " " and value not in _HOST
        if refused and digits != "25":
            raise _Fault("invalid URL escape " + _quoted(letters[at : at + 3]))
        out.append(value)
        at += 3
    return "".join(out)


def _parse(text: str) -> _URL:
    """Return the URL in ``text``. Raises CallError in Go's words."""
    letters, _hash, fragment = _letters(text).partition("#")
    at_fault = letters
    try:
        url = _parsed(letters)
        at_fault = _letters(text)
        url.fragment = _unescaped(fragment)
    except _Fault as fault:
        raise CallError(f"parse {_quoted(at_fault)}: {fault}") from None
    return url


def _parsed(letters: str) -> _URL:
    if any(char < " " or char == "\x7f" for char in letters):
        raise _Fault("net/url: invalid control character in URL")
    url = _URL()
    scheme, rest = _scheme(letters)
    url.scheme = scheme.lower()
    rest, _mark, url.query = rest.partition("?")
    if not rest.startswith("/"):
        if url.scheme:
            url.opaque = rest
            return url
        if ":" in rest.partition("/")[0]:
            raise _Fault("first path segment in URL cannot contain colon")
    if rest.startswith("//") and (url.scheme or not rest.startswith("///")):
        authority, slash, rest = rest[2:].partition("/")
        rest = slash + rest
        url.user, url.host = _authority(authority)
    url.path = _unescaped(rest)
    return url


def _scheme(letters: str) -> tuple[str, str]:
    for at, char in enumerate(letters):
        if "a" <= char <= "z" or "A" <= char <= "Z":
            continue
        if char in "0123456789+-.":
            if at == 0:
                break
        elif char == ":":
            if at == 0:
                raise _Fault("missing protocol scheme")
            return letters[:at], letters[at + 1 :]
        else:
            break
    return "", letters


def _authority(authority: str) -> tuple[tuple[str, ...], str]:
    """Return user (with password) and host."""
    userinfo, at, host = authority.rpartition("@")
    host = _host(host)
    if not at:
        return (), host
    if not _USERINFO.issuperset(userinfo):
        raise _Fault("net/url: invalid userinfo")
    return tuple(map(_unescaped, userinfo.split(":", 1))), host


def _host(host: str) -> str:
    bracket = host.rfind("[")
    if bracket > 0:
        raise _Fault("invalid IP-literal")
    if bracket == 0:
        return _literal(host)
    if ":" in host:
        _check_port(host[host.rfind(":") :])
    return _unescaped(host, in_host=True)


def _literal(host: str) -> str:
    """Return ``[ADDRESS]:PORT`` unescaped."""
    end = host.rfind("]")
    if end < 0:
        raise _Fault("missing ']' in host")
    port = host[end + 1 :]
    _check_port(port)
    port = _unescaped(port, in_host=True)
    name = host[1:end]
    zone = name.find("%25")
    if zone >= 0:
        name = _unescaped(name[:zone], in_host=True) + _unescaped(name[zone:], in_zone=True)
    else:
        name = _unescaped(name, in_host=True)
    try:
        check_ipv6(_text(name))
    except AddressFault as fault:
        raise _Fault(str(fault)) from None
    return f"[{name}]{port}"


def _is_port(text: str) -> bool:
    return not text or (text[0] == ":" and all("0" <= char <= "9" for char in text[1:]))


def _check_port(text: str) -> None:
    if not _is_port(text):
        raise _Fault(f"invalid port {_quoted(text)} after host")


def _hostname(host: str) -> str:
    colon = host.rfind(":")
    if colon >= 0 and _is_port(host[colon:]):
        host = host[:colon]
    return host[1:-1] if host.startswith("[") and host.endswith("]") else host


def _url_parse(text: str) -> dict[str, str]:
    try:
        url = _parse(text)
    except CallError as error:
        raise CallError(f"unable to parse url: {error}") from None
    parts = {
        "scheme": url.scheme,
        "host": url.host,
        "hostname": _hostname(url.host),
        "path": url.path,
        "query": url.query,
        "opaque": url.opaque,
        "fragment": url.fragment,
        "userinfo": url.user_text,
    }
    return {name: _text(part) for name, part in parts.items()}


def _part(parts: dict[str, Any], name: str) -> str:
    value = parts.get(name, "")
    if not isinstance(value, str):
        if value is None:
            raise CallError("runtime error: invalid memory address or nil pointer dereference")
        raise CallError(f"unable to parse {name} key, must be of type string, but {kind_name(value)} found")
    return _letters(value)


def _url_join(parts: dict[str, Any]) -> str:
    scheme, host, path, query, opaque, fragment = (
        _part(parts, name) for name in ("scheme", "host", "path", "query", "opaque", "fragment")
    )
    userinfo = _part(parts, "userinfo")
    user = ""
    if userinfo:
        try:
            user = _parse(f"proto://{_text(userinfo)}@host").user_text + "@"
        except CallError as error:
            raise CallError(f"unable to parse userinfo in dict: {error}") from None
    out = scheme + ":" if scheme else ""
    out += opaque or _hierarchy(out, user, host, path)
    if query:
        out += "?" + query
    if fragment:
        out += "#" + _escaped(fragment, _FRAGMENT)
    return _text(out)


def _hierarchy(scheme: str, user: str, host: str, path: str) -> str:
    """Return user, host and path escaped, with the slashes that they need."""
    out = ""
    if (scheme or host or user) and (host or path or user):
        out = "//" + user + _escaped(host, _HOST)
    path = path if path == "*" else _escaped(path, _PATH)
    if path and path[0] != "/" and host:
        out += "/"
    if not scheme and not out and ":" in path.partition("/")[0]:
        out = "./"
    return out + path


FUNCTIONS = {
    "urlParse": Function(_url_parse, "string"),
    "urlJoin": Function(_url_join, "map[string]any"),
}
