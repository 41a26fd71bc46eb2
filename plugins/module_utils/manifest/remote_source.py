# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Fetches a manifest: a gzipped tarball on a web server (behaviour.md 15.6)."""

from __future__ import annotations

import os

from ..host.errors import HostError
from ..host.http import get
from ..host.nats import NATSError, connect
from ..host.scratch import make_temporary_directory
from ..host.tarballs import unpack
from ..host.trees import remove_tree
from ..lang.paths import clean
from ..model.errors import ManifestError
from ..redaction.texts import shown_source
from .source import MANIFEST_NAME, ManifestText, fetch_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.log import Log


def fetch_remote(source: str, log: Log, nats_context: str) -> ManifestText:
    """Return the manifest at an address, as `fetch_manifest` does. Raises ManifestError and HostError."""
    scheme, _separator, rest = source.partition("://")
    if scheme.lower() in ("http", "https"):
        return _from_web(source, log)
    if scheme == "obj":
        raise _object_store(rest, nats_context)
    shown = shown_source(source)
    raise ManifestError(f"unsupported manifest source: {shown}", advice="give a file, or http(s)://HOST/manifest.tgz")


def _object_store(rest: str, nats_context: str) -> ManifestError:
    bucket, _slash, key = rest.partition("/")
    for what, value in (("bucket name", bucket), ("key", key)):
        if not value:
            return ManifestError(f"{what} is required for object store manifest source")
    try:
        connect(nats_context)
    except NATSError as error:
        return ManifestError(str(error))


def _from_web(url: str, log: Log) -> ManifestText:
    shown = shown_source(url)
    directory = make_temporary_directory("manifest-")
    log.doing(f"fetching {shown}")
    try:
        found = _unpack_from(url, shown, directory, log)
        if not found:
            raise ManifestError(f"{MANIFEST_NAME} not found in archive", value=shown)
        path = clean(f"{directory}/{found}")
        text = fetch_file(path)
    except BaseException:
        remove_tree(directory)
        raise
    finally:
        log.doing("")
    log.info("Using manifest from HTTP URL in temporary directory", manifest=path, url=shown)
    return ManifestText(text, shown, os.path.dirname(path), directory)


def _unpack_from(url: str, shown: str, directory: str, log: Log) -> str:
    """Return the path of the manifest among the unpacked files."""
    log.before_waiting()
    try:
        response = get(url, timeout=60)
    except HostError as error:
        raise ManifestError(f"failed to fetch manifest from URL: {shown}: {error}", value=shown) from None
    try:
        with response:
            response.require_ok()
            return unpack(response, directory, MANIFEST_NAME)
    except HostError as error:
        raise ManifestError(str(error), value=shown, advice=f"it came from {shown}") from None
