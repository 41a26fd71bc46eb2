# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads hierarchical data: from files, web servers and NATS (behaviour.md 16, Sources)."""

from __future__ import annotations

import os

from ..model.errors import DataError
from ..model.log import Log
from ..redaction.texts import shown_source
from .hierarchy import resolve_document, validate_data
from .reading import is_json, parse_document, read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ..lang.jsondoc import JSONDocument
    from ..lang.yaml import Document
    from ..model.values import Data, FactSource
    from ..nats.access import NatsAccess
    from .hierarchy import Resolved

#: Seconds that a web server has for all of its answer.
HTTP_TIMEOUT = 60
#: Bytes of the largest document of data.
LIMIT = 64 << 20


class SourceNotFound(DataError):
    """The named file does not exist."""


class Fetched:
    """The text of a source. `name` is its name in messages, without credentials; `remote` if it was fetched."""

    __slots__ = ("name", "remote", "text")

    def __init__(self, text: str, name: str, remote: bool) -> None:
        self.text = text
        self.name = name
        self.remote = remote

    @property
    def is_json(self) -> bool:
        """Whether the text is read as JSON: it starts with `{` or `[`."""
        return is_json(self.text)


def fetch_data(
    source: str,
    directory: str = "",
    nats: Callable[[], NatsAccess] | None = None,
    *,
    piped: bool = False,
    log: Log | None = None,
) -> Fetched:
    """Return the text of a source: a path, relative to `directory` or the current one, or an `http(s)://` address.

    One in NATS, `kv://BUCKET/KEY`, is fetched with what `nats` returns. With `piped` a path may be one of a pipe, whose
    data is waited for. `log` is written out before.

    Raises SourceNotFound `file not found: <absolute path>`, and DataError for what cannot be read or fetched and for
    other kinds of sources; no message holds a user name or password of an address.
    """
    if not source:
        raise DataError("source is required")
    log = log or Log()
    scheme = _scheme(source)
    if not scheme:
        if piped:
            log.before_waiting()
        return _file(source, directory, piped)
    if scheme in ("http", "https"):
        return _web(source, log)
    if scheme == "kv":
        return _key_value(source, log, nats)
    raise DataError(f"unsupported hiera data source: {shown_source(source)}", value=source)


def load_data(
    source: str,
    facts: FactSource,
    *,
    directory: str = "",
    data_key: str = "data",
    overrides_data: Data | None = None,
    nats: Callable[[], NatsAccess] | None = None,
    log: Log | None = None,
    piped: bool = False,
) -> Resolved:
    """Return the data of a source, resolved for these facts (see `hierarchy.resolve`) and validated by its annotations.

    `log` gets a line for each unknown annotation. Raises as `fetch_data` does, DataError for a document that cannot be
    parsed or data that does not validate, TemplateError for expressions in it.
    """
    resolved = resolve_document(
        _parsed(fetch_data(source, directory, nats, piped=piped, log=log)),
        facts,
        data_key=data_key,
        overrides_data=overrides_data,
        log=log,
    )
    validate_data(resolved.data, resolved.rules)
    return resolved


def _parsed(fetched: Fetched) -> Document | JSONDocument:
    origin = f" from {fetched.name}" if fetched.remote else ""
    return parse_document(fetched.text, fetched.name, origin)


def _scheme(source: str) -> str:
    """Return the scheme of an address, in lower case; "" for a path."""
    scheme, colon, _rest = source.partition(":")
    if not colon or not scheme[:1].isalpha() or not scheme.isascii():
        return ""
    return scheme.lower() if scheme.replace("+", "").replace("-", "").replace(".", "").isalnum() else ""


def _file(source: str, directory: str, piped: bool) -> Fetched:
    path = os.path.join(directory, source)
    if not os.path.exists(path):
        raise SourceNotFound(f"file not found: {_absolute(path)}", value=source)
    return Fetched(read_text(os.path.abspath(path), piped=piped, limit=LIMIT), source, False)


def _absolute(path: str) -> str:
    """Return the absolute path, or the path itself where the current directory was removed."""
    try:
        return os.path.abspath(path)
    except FileNotFoundError:
        return path


def _web(source: str, log: Log) -> Fetched:
    from ..host.http import HTTPError, HTTPStatusError, fetch

    name = shown_source(source)
    log.before_waiting()
    try:
        content = fetch(source, timeout=HTTP_TIMEOUT, limit=LIMIT)
    except HTTPStatusError as error:
        text = f"HTTP request to {name} failed with status {error.status}: {error.status} {error.reason}"
        raise DataError(text.rstrip(), value=name) from None
    except HTTPError as error:
        raise DataError(f"failed to fetch hiera data from {name}: HTTP request failed: {error}", value=name) from None
    if not content:
        raise DataError(f"HTTP response from {name} is empty", value=name)
    return Fetched(content.decode("utf-8", "replace"), name, True)


def _key_value(source: str, log: Log, nats: Callable[[], NatsAccess] | None) -> Fetched:
    bucket, key = parts_of_key(source)
    if nats is None:
        text = f"cannot read kv {bucket}#{key}: no NATS context is set here"
        raise DataError(text, value=source, advice="ccm apply --hiera reads kv:// with the context of --context")
    from ..nats.key_values import KeyValues

    log.before_waiting()
    name = f"kv {bucket}#{key}"
    content = KeyValues(nats().client(), bucket).get(key)
    if not content:
        raise DataError(f"{name} is empty", value=source)
    if len(content) > LIMIT:
        raise DataError(f"read {name}: larger than {LIMIT} bytes", value=source)
    return Fetched(content.decode("utf-8", "replace"), name, True)


def parts_of_key(source: str) -> tuple[str, str]:
    """Return the bucket and the key of `kv://BUCKET/KEY`. Raises DataError where one is missing."""
    bucket, _slash, key = source[len("kv:") :].lstrip("/").partition("/")
    for what, part in (("bucket name", bucket), ("key", key)):
        if not part:
            raise DataError(f"{what} is required for kv hiera data source", value=source)
    return bucket, key
