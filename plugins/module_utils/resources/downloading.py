# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Downloads of resources: their request, their checksum, and their errors (behaviour.md 5.1)."""

from __future__ import annotations

from ..host.download import Request, download
from ..host.errors import HostError
from ..host.http import HeaderError, HTTPError, HTTPStatusError
from ..model.errors import ResourceFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping

    from ..host.download import Download
    from ..model.contract import AnyProvider
    from .download_properties import DownloadProperties


def request_for(
    provider: AnyProvider, url: str, properties: DownloadProperties, conditions: Mapping[str, str] | None = None
) -> Request:
    """Return the request for an address, with the limits of the run; `conditions` as in `Request`."""
    named = properties.username and properties.password
    machine, user_log, options = provider.machine, provider.user_log, provider.context.options
    return Request(
        url,
        headers=properties.headers,
        username=properties.username if named else None,
        password=properties.password if named else None,
        timeout=machine.within(options.download_timeout) / 1e9,
        tries=options.download_tries,
        limit=options.download_limit,
        conditions=conditions,
        notice=user_log.info,
        progress=user_log.progress,
        before_waiting=machine.before_waiting,
    )


def downloaded(request: Request, place: str) -> Download:
    """Download a file as `host.download.download` does, and end the progress that is shown."""
    try:
        return download(request, place)
    finally:
        if request.progress:
            request.progress(0, None)


def require_checksum(fetched: Download, properties: DownloadProperties, about: str = "") -> None:
    """Raise ResourceFailed for a download that has another checksum than the wanted one; `about` as below."""
    if properties.checksum and properties.checksum.lower() != fetched.digest:
        text = f'checksum mismatch, expected "{properties.checksum}" got "{fetched.digest}"'
        raise ResourceFailed(f"download failed: {about}{text}", property="checksum")


def download_failed(error: HostError, property: str, about: str = "", advice: str = "") -> ResourceFailed:
    """Return the error of a resource for the error of a download; `property` has the address.

    `about` is what comes before the reason: `ADDRESS: ` where the name of the resource does not say it.
    """
    text = str(error)
    if isinstance(error, HTTPError) and not isinstance(error, HTTPStatusError):
        text = f"failed to perform HTTP request: {_lowered(text)}"
    at_fault = "headers" if isinstance(error, HeaderError) else property
    return ResourceFailed(f"download failed: {about}{text}", property=at_fault, advice=advice)


def _lowered(text: str) -> str:
    """Return the text with its first word in lower case, unless it is one like URL."""
    first = text.partition(" ")[0]
    return text if first[1:] != first[1:].lower() else text[:1].lower() + text[1:]
