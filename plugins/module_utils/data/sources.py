# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads hierarchical data: from files and web servers (behaviour.md 16, Sources)."""

from __future__ import annotations

import os

from ..model.errors import DataError
from ..model.log import Log
from ..redaction.texts import shown_source
from .hierarchy import resolve_document, validate_data
from .reading import is_json, parse_document, read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..lang.jsondoc import JSONDocument
    from ..lang.yaml import Document
    from ..model.values import Data, FactSource
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
    nats_context: str | None = None,
    *,
    piped: bool = False,
    log: Log | None = None,
) -> Fetched:
    """Return the text of a source: a path, relative to `directory` or the current one, or an `http(s)://` address.

    One in NATS, `kv://BUCKET/KEY`, is fetched with `nats_context`. With `piped` a path may be one of a pipe, whose data
    is waited for. `log` is written out before.

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
        raise _key_value(source, nats_context)
    raise DataError(f"unsupported hiera data source: {shown_source(source)}", value=source)


def load_data(
    source: str,
    facts: FactSource,
    *,
    directory: str = "",
    data_key: str = "data",
    overrides_data: Data | None = None,
    nats_context: str | None = None,
    log: Log | None = None,
    piped: bool = False,
) -> Resolved:
    """Return the data of a source, resolved for these facts (see `hierarchy.resolve`) and validated by its annotations.

    `log` gets a line for each unknown annotation. Raises as `fetch_data` does, DataError for a document that cannot be
    parsed or data that does not validate, TemplateError for expressions in it.
    """
    resolved = resolve_document(
        _parsed(fetch_data(source, directory, nats_context, piped=piped, log=log)),
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


def _key_value(source: str, nats_context: str | None) -> DataError:
    bucket, _slash, key = source[len("kv:") :].lstrip("/").partition("/")
    if not bucket:
        return DataError("bucket name is required for kv hiera data source", value=source)
    if not key:
        return DataError("key is required for kv hiera data source", value=source)
    if nats_context is None:
        return DataError(f"cannot read kv {bucket}#{key}: this version of ccm.core cannot talk to NATS", value=source)
    from ..host.nats import NATSError, connect

    try:
        connect(nats_context)
    except NATSError as error:
        return DataError(str(error), value=source)
