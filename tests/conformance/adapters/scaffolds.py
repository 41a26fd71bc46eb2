# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Mode tree of gotmpl.jsonl and jet.jsonl: a directory of templates rendered into a target, as a provider does it."""

from __future__ import annotations

import pathlib
import shutil

from ccm.engine.context import Context
from ccm.host.errors import HostError
from ccm.model.errors import CCMError
from ccm.model.resource import complete
from ccm.resources.scaffold.choria import ChoriaProvider
from ccm.resources.scaffold.type import TYPE as SCAFFOLD

from ..compare import Refused

LISTS = ("changed", "purged", "stable")


def tree(given, environment, engine, world):
    """What a first look, the rendering and the target say. The delimiters are `{{` and `}}` where none are given."""
    source, target = (pathlib.Path(world.scratch, name) for name in ("src", "target"))
    for place, files in ((source, given["source"]), (target, given.get("target_before"))):
        shutil.rmtree(place, ignore_errors=True)
        if files is not None:
            lay(place, files)
    values = {
        "name": str(target),
        "ensure": "present",
        "source": str(source),
        "engine": engine,
        "left_delimiter": given.get("left_delimiter", "{{"),
        "right_delimiter": given.get("right_delimiter", "}}"),
        "skip_empty": given.get("skip_empty", False),
        "purge": given.get("purge", False),
        "post": given.get("post", []),
    }
    properties = SCAFFOLD.made(complete(SCAFFOLD, values))
    context = Context(environment=environment)
    provider = context.provider_instance(ChoriaProvider, SCAFFOLD)
    try:
        before = provider.status(properties)
        provider.render(properties, before)
    except (CCMError, HostError) as err:
        raise Refused(str(err)) from err
    lists = {name: before.metadata.get(name, []) for name in LISTS}
    seen = {**lists, "target_exists": before.metadata.get("target_exists", False)}
    return {"files": found(target), "result": seen, "status_before": seen}


def lay(place, files):
    """Write files by name; a name with a slash at its end is a directory."""
    place.mkdir()
    for name, text in files.items():
        path = place / name
        if name.endswith("/"):
            path.mkdir(parents=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def found(place):
    """What is in a directory: texts by name, None for directories, whose names end with a slash."""
    there = {}
    for path in sorted(place.rglob("*")):
        name = str(path.relative_to(place))
        there[f"{name}/" if path.is_dir() else name] = None if path.is_dir() else path.read_text(encoding="utf-8")
    return there
