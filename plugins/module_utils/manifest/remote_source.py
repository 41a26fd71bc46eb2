# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Fetches a manifest: a gzipped tarball on a web server or in an object store of NATS (behaviour.md 15.6)."""

from __future__ import annotations

import os

from ..host.errors import HostError, SystemCallError
from ..host.http import get
from ..host.scratch import make_temporary_directory
from ..host.tarballs import TarballError, unpack
from ..host.trees import remove_tree
from ..lang.paths import clean
from ..model.errors import ManifestError
from ..redaction.texts import shown_source
from .source import MANIFEST_NAME, ManifestText, fetch_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ..model.log import Log
    from ..nats.access import NatsAccess


#: Bytes of the largest object.
_LARGEST = 1 << 30
#: Bytes before the content in a file of gzip.
_GZIP_HEADER = 10
#: What the original says of objects that it does not unpack; the log names the file at fault.
_RECORDED = ("only regular files and directories are supported", "invalid tar file detected")


def fetch_remote(source: str, log: Log, nats: Callable[[], NatsAccess] | None) -> ManifestText:
    """Return the manifest at an address, as `fetch_manifest` does. Raises CCMError and HostError."""
    scheme, _separator, _rest = source.partition("://")
    if scheme.lower() in ("http", "https"):
        shown = shown_source(source)
        unpacked = _unpacked(shown, lambda directory: _unpack_from(source, shown, directory, log), log)
        log.info("Using manifest from HTTP URL in temporary directory", manifest=unpacked.path, url=shown)
        return unpacked.text
    if scheme == "obj":
        bucket, key = parts_of_object(source)
        if nats is None:
            raise ManifestError("nats context not set", value=source)
        access = nats()
        unpacked = _unpacked(source, lambda directory: _unpack_object(bucket, key, directory, log, access), log)

        def announce() -> None:
            where = "Using manifest from Object Store in temporary directory"
            log.info(where, manifest=unpacked.path, bucket=bucket, file=key)

        found = unpacked.text
        return ManifestText(found.text, found.name, found.directory, found.temporary, announce)
    shown = shown_source(source)
    raise ManifestError(f"unsupported manifest source: {shown}")


def parts_of_object(source: str) -> tuple[str, str]:
    """Return the bucket and the key of `obj://BUCKET/KEY`. Raises ManifestError where one is missing."""
    bucket, _slash, key = source.partition("://")[2].partition("/")
    for what, value in (("bucket name", bucket), ("key", key)):
        if not value:
            raise ManifestError(f"{what} is required for object store manifest source", value=source)
    return bucket, key


class _Unpacked:
    """A manifest that was unpacked, and where it is."""

    def __init__(self, text: ManifestText, path: str) -> None:
        self.text = text
        self.path = path


def _unpacked(shown: str, unpack_into: Callable[[str], str], log: Log) -> _Unpacked:
    """Return the manifest among the files that `unpack_into` writes to a directory, of which it returns the path."""
    directory = make_temporary_directory("manifest-")
    log.doing(f"fetching {shown}")
    try:
        found = unpack_into(directory)
        if not found:
            raise ManifestError(f"{MANIFEST_NAME} not found in archive", value=shown)
        path = clean(f"{directory}/{found}")
        text = fetch_file(path)
    except BaseException:
        remove_tree(directory)
        raise
    finally:
        log.progress(0, None)
        log.doing("")
    return _Unpacked(ManifestText(text, shown, os.path.dirname(path), directory), path)


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


def _unpack_object(bucket: str, key: str, directory: str, log: Log, access: NatsAccess) -> str:
    """Return the path of the manifest among the files of an object, which are unpacked once its digest was checked."""
    from ..nats.objects import Objects

    log.before_waiting()
    path = os.path.join(directory, ".object")
    try:
        with open(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "r+b") as file:
            os.unlink(path)
            Objects(access.client(), bucket).get(key, file, _LARGEST, log.progress)
            size = file.tell()
            file.seek(0)
            if size < _GZIP_HEADER:
                raise ManifestError(f"unzip failed: {'unexpected EOF' if size else 'EOF'}")
            try:
                return unpack(file, directory, MANIFEST_NAME)
            except TarballError as error:
                log.debug("The object is not unpacked", bucket=bucket, file=key, reason=str(error))
                raise ManifestError(
                    next((text for text in _RECORDED if str(error).startswith(text)), str(error))
                ) from None
    except OSError as error:
        raise SystemCallError("write", directory, error) from None
