# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the original CCM rejects, ignores or handles differently though it is accepted here (decisions.md).

Users who no longer run the original do not need it, so a caller may leave it out.
"""

from __future__ import annotations

import re

from ..lang.go.fmt import sprint
from ..lang.templatescan import has_expression, only_expression
from ..resources.descriptions import description
from ..resources.types import TYPES
from .linebreaks import refused_in_data, refused_in_property
from .review import PORTABILITY
from .walk import given_properties

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator

    from ..model.property import Property
    from ..model.values import Data, Path, Value
    from .declared import Block, Declared
    from .review import Review

_TYPES_OF_ORIGINAL = frozenset(listed.name for listed in TYPES if not listed.extension)
_PLAIN_LOOKUP = re.compile(r"lookup\(\s*([\"'`])[^\"'`]*\1\s*\)\Z")
_MODE = re.compile(r"0[0-7]{3}\Z")
_HIGH_MODE = re.compile(r"(?:0[oO])?0*[1-7][0-7]{3}\Z")
_SAME_MODE = re.compile(r"(?:0[oO])?0*[0-7]{3}\Z")
_LINE_BREAKS = "the original rejects this text because of its line breaks (Q54)"


class Portability:
    """Notes what the original would handle differently in one manifest."""

    def __init__(self, review: Review) -> None:
        self._review = review

    def check_outside(self, value: Data) -> None:
        """Check the sections other than the resources."""
        ccm = value.get("ccm")
        if isinstance(ccm, dict) and ccm.get("engine"):
            self._note_refused("ccm.engine is an extension: the original ignores it", ("ccm", "engine"), "", "")
        if "overrides" in value and value["overrides"] is None:
            self._note_refused("the original crashes on empty overrides", ("overrides",), "", "")
        for section in ("data", "overrides"):
            for path in refused_in_data(value.get(section), (section,)):
                self._note_refused(_LINE_BREAKS, path, "", "")

    def check_entry(self, entry: Value, path: Path) -> None:
        """Check an entry of `ccm.resources` (Q61)."""
        if isinstance(entry, dict) and len(entry) > 1:
            self._note("the original runs several types of one entry in any order", path, "", "")

    def check_block(self, block: Block) -> None:
        """Check resources and their defaults; of a type that the original does not have nothing else is said."""
        if block.type.name not in _TYPES_OF_ORIGINAL:
            for declared in block.resources if self._review.upstream else ():
                message = f"the original has no type {block.type.name}"
                self._review.error(PORTABILITY, message, self._review.key(declared.path), resource=declared.reference)
            return
        for prop, value, path, about in given_properties(block):
            key = str(path[-1])
            for below, may_be_rescued in refused_in_property(prop, value, path):
                advice = "it would take one with an expression in it" if may_be_rescued else ""
                self._note_refused(_LINE_BREAKS, below, about, key, advice)
            if key in prop.aliases:
                message = f"{key} is {prop.name} to the original, which does not know this name"
                self._note_refused(message, path, about, key)
            refused = list(_refused_values(prop, value, block.type.name))
            for message in refused:
                self._note_refused(message, path, about, key)
            written = self._review.document.scalar(path)
            for message in () if refused else _about_value(prop, value, written or ""):
                self._note(message, path, about, key)
            for message, where in _registrations(value) if prop.name == "register_when_stable" else ():
                self._note_refused(message, (*path, *where), about, key)
        for declared in block.resources:
            if "name" not in declared.own:
                for path in refused_in_data(declared.name, declared.path):
                    self._note_refused(_LINE_BREAKS, path, declared.reference, "name")
                refuse = description(block.type.name).portability.get("name")
                message = refuse(declared.name) if refuse else ""
                if message:
                    self._note_refused(message, declared.path, declared.reference, "name")
            for message in _about_resource(declared):
                self._note_refused(message, declared.path, declared.reference, "")

    def _note_refused(self, message: str, path: Path, about: str, property: str, advice: str = "") -> None:
        """Note what the original refuses, or does not know, as an error where it is to run the manifest."""
        self._review.not_portable(message, self._review.key(path), resource=about, property=property, advice=advice)

    def _note(self, message: str, path: Path, about: str, property: str) -> None:
        """Note what the original would run otherwise."""
        self._review.warn(PORTABILITY, message, self._review.key(path), resource=about, property=property)


def _refused_values(prop: Property, value: Value, type_name: str) -> Iterator[str]:
    """Yield why the original refuses a value (Q8, and what properties and types say themselves)."""
    if prop.extension and value:
        yield prop.extension
    if prop.kind == "mode" and isinstance(value, str) and _HIGH_MODE.match(value):
        yield "the original takes no mode above 0777"
    refused = description(type_name).portability.get(prop.name)
    message = refused(value) if refused else ""
    if message:
        yield message


def _about_value(prop: Property, value: Value, written: str) -> Iterator[str]:
    """Yield how the original treats a value otherwise because of its kind (Q8, Q45)."""
    if prop.kind == "mode" and _SAME_MODE.match(written):
        if isinstance(value, int) and written.startswith("0"):
            yield f"the original reads {written} without quotes as the number {value}: write it in quotes"
        elif not _MODE.match(written):
            yield f'the original never gets to the mode {written}: write it as four digits in quotes, like "0644"'
    elif prop.kind == "string" and isinstance(value, (int, float)) and not isinstance(value, bool):
        shown = sprint(value)
        if written and shown != written and prop.secret:
            yield "the original reads this number without quotes otherwise: write it in quotes"
        elif written and shown != written:
            yield f"the original reads {written} without quotes as {shown}: write it in quotes"


def _about_resource(declared: Declared) -> Iterator[str]:
    """Yield an advice for each property that the original requires and the resource does not give."""
    described = description(declared.type.name)
    # What an expression gives is not known.
    ensure = str(declared.values.get("ensure") or declared.type.default_ensure)
    is_absent = ensure == "absent" or has_expression(ensure)
    unless_absent = () if is_absent else described.required_unless_absent
    for name in (*described.required_by_original, *unless_absent):
        if not declared.values.get(name):
            yield f"the original wants {name} to be given"


def _registrations(value: Value) -> Iterator[tuple[str, Path]]:
    """Yield differences of addresses, ports and times to live (Q12, Q13)."""
    for at, entry in enumerate(value) if isinstance(value, list) else ():
        if not isinstance(entry, dict):
            continue
        port, address = entry.get("port"), entry.get("address")
        if isinstance(port, str):
            source = only_expression(port)
            if source is None or not _PLAIN_LOOKUP.match(source):
                yield "the original takes a number as port, or lookup() without a default, and no other", (at, "port")
        if isinstance(address, str) and "{" not in address and not _looks_like_ip(address):
            yield "the original takes no host name as address", (at, "address")
        if entry.get("ttl") is not None:
            yield "the original refuses ttl in a manifest", (at, "ttl")


def _looks_like_ip(text: str) -> bool:
    return ":" in text or not text.strip("0123456789.")
