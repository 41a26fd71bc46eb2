# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Calls of functions in late expressions of a resource, as far as their first argument is a plain text."""

from __future__ import annotations

from ..model.property import DEFERRED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator, Pattern, Tuple

    from ..model.resource import Resource
    from ..model.values import Value
    from .around import AppliedManifest

    #: The name of a function, its text, and the property that holds the call.
    LateCall = Tuple[str, str, str]

# The functions of `data/functions.py` whose values may change while a manifest runs.
_OF_THE_RUN = "readFile|file|template|jet|registrations|kvGet|sent"


def late_calls(resource: Resource, functions: str) -> list[LateCall]:
    """Return the calls in late expressions of functions whose names are in `functions`, with | between."""
    values = vars(resource.properties)
    found: list[LateCall] = []
    for prop in resource.type.late_properties:
        value = values.get(prop.name)
        if value and not (isinstance(value, str) and "(" not in value):
            found += [(function, given, prop.name) for function, given in _calls_in(value, functions)]
    return found


def senders_named(resource: Resource) -> dict[str, str]:
    """Return the references to resources that send values to a resource, each with the property that names it."""
    return {reference: property for _function, reference, property in late_calls(resource, "sent")}


def senders_of(manifest: AppliedManifest) -> frozenset[str]:
    """Return the references of the resources of a manifest whose values are asked for, or that are to be kept."""
    senders = set(manifest.senders)
    for each in manifest.resources:
        if manifest.may_receive:
            senders.update(senders_named(each))
        if each.properties.meta and each.properties.meta["send"]:
            senders.update(each.names)
    return frozenset(senders)


def senders_in(value: Value) -> set[str]:
    """Return the references to resources that send values to the expressions in a value."""
    return {reference for _function, reference in _calls_in(value, "sent")}


def depends_on_others(resource: Resource) -> bool:
    """Return whether late expressions of a resource may depend on changes that other resources made before.

    They do if they name a function that reads more than the facts, the data and the environment.
    """
    values = vars(resource.properties)
    meta = values.get("meta") or {}
    late = [values[prop.name] for prop in resource.type.late_properties]
    late += [meta[field.name] for field in resource.type.own_meta if field.when == DEFERRED and meta]
    texts = [text for text in texts_in(late, with_keys=True) if "{{" in text or "${" in text]
    if not texts:
        return False
    named = _compiled(rf"\b({_OF_THE_RUN})\b")
    return any(named.search(text) for text in texts)


def texts_in(value: Value, *, with_keys: bool = False) -> Iterator[str]:
    """Yield the texts in a value, with the keys of its mappings if wanted."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, entry in value.items():
            yield from (key,) if with_keys else ()
            yield from texts_in(entry, with_keys=with_keys)
    elif isinstance(value, list):
        for entry in value:
            yield from texts_in(entry, with_keys=with_keys)


def _calls_in(value: Value, functions: str) -> Iterator[tuple[str, str]]:
    texts = [text for text in texts_in(value) if "(" in text and ("{{" in text or "${" in text)]
    if not texts:
        return
    from ..lang.templatescan import Expression, scan

    call = _compiled(rf"""\b({functions})\(\s*(?:"([^"\\\n]+)"|'([^'\\\n]+)')\s*[,)]""")
    for part in (part for text in texts for part in scan(text)):
        for found in call.finditer(part.source) if isinstance(part, Expression) else ():
            yield found.group(1), found.group(2) or found.group(3)


def _compiled(pattern: str) -> Pattern[str]:
    import re

    return re.compile(pattern)
