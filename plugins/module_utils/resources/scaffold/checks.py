# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the scaffold type checks of properties that are wrong or rarely given, and says of them."""

from __future__ import annotations

from ...host.http import redact_url
from ...lang.go.fmt import quote
from ...lang.paths import clean
from ...model.errors import InvalidResource, ResourceFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .type import ScaffoldProperties


def check_scaffold(properties: ScaffoldProperties, choices: tuple[str, ...], engines: tuple[str, ...]) -> None:
    """Check state, paths, language and post commands in the recorded order. Raises InvalidResource for the first."""
    name, engine = properties.name, properties.engine
    if properties.ensure not in choices:
        problem = 'invalid ensure value: must be one of "present" or "absent"'
        raise InvalidResource(problem, property="ensure", value=properties.ensure)
    if not name.startswith("/"):
        raise InvalidResource("name must be an absolute path", property="name", value=name)
    if clean(name) != name:
        raise InvalidResource(
            "name must be a canonical path", property="name", value=name, advice=f"write {clean(name)}"
        )
    if not properties.source:
        raise InvalidResource("source cannot be empty", property="source")
    if engine not in engines:
        raise InvalidResource('engine must be one of "go" or "jet"', property="engine", value=engine)
    for entry in properties.post:
        for pattern, command in entry.items():
            if not pattern:
                raise InvalidResource("post keys cannot be empty", property="post")
            if not command:
                raise InvalidResource(f"post value for key {quote(pattern)} cannot be empty", property="post")


def refuse_address(source: str) -> None:
    """Refuse a source that is a URL: nothing is downloaded. Raises ResourceFailed."""
    scheme, separator, _rest = source.partition("://")
    if separator and scheme.isalnum():
        raise ResourceFailed(
            f"source must be a directory of templates on this machine, not a URL: {redact_url(source)}",
            property="source",
            value=redact_url(source),
            advice="let an archive download and unpack it first, and name the directory that it leaves",
        )


def nothing_rendered(properties: ScaffoldProperties) -> ResourceFailed:
    """The error for a source that holds no template, or none that renders to anything."""
    reason = "scaffold produced no changed, stable, or purged files"
    return ResourceFailed(
        f"failed to reach desired state: {properties.ensure}: {reason}",
        property="source",
        value=properties.source,
        advice="put a template into the source that renders to something",
    )


def invalid_entry(path: str) -> ResourceFailed:
    """The error for an entry of a source that is neither a file nor a directory; `path` is relative to the source."""
    return ResourceFailed(
        f"invalid file in source: {path.rpartition('/')[2]}",
        property="source",
        value=path,
        advice="a source holds files and directories, no links",
    )
