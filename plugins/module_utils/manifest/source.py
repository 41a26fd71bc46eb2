# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Where a manifest comes from: a file, or a gzipped tarball on a web server (features.md 15.6)."""

from __future__ import annotations

import os

from ..lang.paths import clean
from ..model.errors import ManifestError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.log import Log

MANIFEST_NAME = "manifest.yaml"


class ManifestText:
    """A manifest's text as bytes, its name for people, its directory, and what has to be removed after the run."""

    def __init__(self, text: bytes, name: str, directory: str, temporary: str = "") -> None:
        self.text = text
        self.name = name
        self.directory = directory
        self.temporary = temporary

    def remove_temporary(self) -> None:
        """Remove the directory that was made for the manifest, when there was one."""
        if self.temporary:
            from ..host.trees import remove_tree

            remove_tree(self.temporary)
            self.temporary = ""


def fetch_manifest(source: str, log: Log, nats_context: str = "") -> ManifestText:
    """The manifest that `source` names. Raises ManifestError or HostError.

    What is to come from a NATS object store, `obj://BUCKET/KEY`, is asked for by way of `nats_context`.
    """
    if not source:
        raise ManifestError("source is required", advice="name a manifest file")
    scheme, separator, rest = source.partition("://")
    if not separator:
        return _from_file(source)
    if scheme.lower() in ("http", "https"):
        return _from_web(source, log)
    if scheme == "obj":
        raise _object_store(rest, nats_context)
    from ..host.http import redact_url

    shown = redact_url(source)
    raise ManifestError(f"unsupported manifest source: {shown}", advice="give a file, or http(s)://HOST/manifest.tgz")


def _from_file(path: str) -> ManifestText:
    return ManifestText(fetch_file(path), path, os.path.dirname(os.path.abspath(path)))


def fetch_file(path: str) -> bytes:
    """What is in the manifest file `path`. Raises ManifestError."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except (OSError, ValueError) as error:
        op = "read" if os.path.isdir(path) else "open"
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise ManifestError(f"{op} {path}: {reason}", value=path) from None


def _object_store(rest: str, nats_context: str) -> ManifestError:
    bucket, _slash, key = rest.partition("/")
    for what, value in (("bucket name", bucket), ("key", key)):
        if not value:
            return ManifestError(f"{what} is required for object store manifest source")
    from ..host.nats import NATSError, connect

    try:
        connect(nats_context)
    except NATSError as error:
        return ManifestError(str(error))


def _from_web(url: str, log: Log) -> ManifestText:
    from ..host.http import redact_url
    from ..host.scratch import make_temporary_directory
    from ..host.trees import remove_tree

    shown = redact_url(url)
    directory = make_temporary_directory("manifest-")
    log.doing(f"fetching {shown}")
    try:
        files = _unpack_from(url, shown, directory)
        found = next((name for name in files if name.rpartition("/")[2] == MANIFEST_NAME), "")
        if not found:
            raise ManifestError(f"{MANIFEST_NAME} not found in archive", value=shown)
        path = clean(f"{directory}/{found}")
        with open(path, "rb") as file:
            text = file.read()
    except BaseException:
        remove_tree(directory)
        raise
    finally:
        log.doing("")
    log.info("Using manifest from HTTP URL in temporary directory", manifest=path, url=shown)
    return ManifestText(text, shown, os.path.dirname(path), directory)


def _unpack_from(url: str, shown: str, directory: str) -> list[str]:
    from ..host.errors import HostError
    from ..host.http import get
    from ..host.tarballs import unpack

    try:
        response = get(url, timeout=60)
    except HostError as error:
        raise ManifestError(f"failed to fetch manifest from URL: {shown}: {error}", value=shown) from None
    try:
        with response:
            response.require_ok()
            return unpack(response, directory)
    except HostError as error:
        raise ManifestError(str(error), value=shown, advice=f"it came from {shown}") from None
