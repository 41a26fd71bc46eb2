# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Expressions that do not compile: early and late ones, in control, messages and data (behaviour.md 11)."""

from __future__ import annotations

from ..lang.templatescan import Expression, scan
from ..model.errors import InvalidResource
from ..model.property import EAGER, NEVER
from .calls import Calls
from .facts import Facts
from .finding import ERROR
from .lookups import Lookups
from .sent_values import check_sent
from .syntax import fault_of
from .templates import FILE_RULE
from .walk import given_fields, parts, texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.errors import Position
    from ..model.property import Property
    from ..model.values import Data, Path, Value
    from .calls import Place
    from .declared import Block
    from .known import KnownValues
    from .review import Review

_CONTROL = "control"


class Expressions:
    """The expressions of one manifest; the names that they may use are the same everywhere but in its data."""

    def __init__(self, review: Review, portable: bool, known: KnownValues) -> None:
        self._review = review
        self._portable = portable
        self._calls = Calls(review, self._check_source, portable)
        self._facts = Facts(review, portable)
        self._lookups = Lookups(review, self._facts, known)

    def check_outside(self, value: Data) -> None:
        """Check expressions of messages, and of data, overrides and hierarchy, which have no function but `lookup`."""
        ccm = value.get("ccm")
        for key in ("pre_message", "post_message"):
            if isinstance(ccm, dict) and key in ccm:
                self._check(ccm[key], ("ccm", key), is_early=True)
        for key in ("data", "overrides"):
            self._check(value.get(key), (key,), only_lookup=True)
        hierarchy = value.get("hierarchy")
        if isinstance(hierarchy, dict):
            self._check(hierarchy.get("order"), ("hierarchy", "order"), only_lookup=True)

    def check_block(self, block: Block) -> None:
        """Check expressions of resources, and of their defaults."""
        for declared, given in parts(block):
            for prop, value, path in given:
                self._check_property(prop, value, path, declared.reference if declared else "")
            if declared and "name" not in declared.own and isinstance(declared.path[-1], str):
                self._check_text(declared.path[-1], declared.path, declared.reference, is_key=True, is_early=True)

    def _check_property(self, prop: Property, value: Value, path: Path, about: str, *, is_late: bool = False) -> None:
        is_late = is_late or prop.when != EAGER
        if prop.name == _CONTROL:
            self._check_control(value, path, about)
        elif prop.secret:
            self._check_secret(value, path, about, is_early=not is_late)
        elif prop.fields:
            for field, entry, below in given_fields(prop, value, path):
                self._check_property(field, entry, below, about, is_late=is_late)
        elif prop.when != NEVER or prop.kind == "data":
            # Rules of health checks are not resolved with the resource, but when they are used.
            self._check(value, path, about, is_early=not is_late)

    def _check_secret(self, value: Value, path: Path, about: str, *, is_early: bool) -> None:
        """Check the expressions of a secret property, which errors do not quote; names of files are no secrets."""
        known = len(self._review.findings)
        self._check(value, path, about, is_early=is_early)
        for finding in self._review.findings[known:]:
            if finding.level == ERROR and finding.rule != FILE_RULE:
                finding.message, finding.excerpt = f"an expression of {path[-1]} is wrong", ""

    def _check_control(self, value: Value, path: Path, about: str) -> None:
        for key, text in value.items() if isinstance(value, dict) else ():
            if isinstance(text, str) and text and key in ("if", "unless"):
                self._compile(text, (*path, key), about, as_bool=True)

    def _check(
        self, value: Value, path: Path, about: str = "", *, only_lookup: bool = False, is_early: bool = False
    ) -> None:
        for text, below in texts(value, path):
            self._check_text(text, below, about, only_lookup=only_lookup, is_early=is_early)

    def _check_text(
        self,
        text: str,
        path: Path,
        about: str,
        *,
        only_lookup: bool = False,
        is_key: bool = False,
        is_early: bool = False,
    ) -> None:
        for part in scan(text):
            if isinstance(part, Expression):
                self._compile(
                    part.source,
                    path,
                    about,
                    only_lookup=only_lookup,
                    is_key=is_key,
                    is_early=is_early,
                    whole=text,
                    start=part.start,
                )
            elif "{{" in part:
                self._review.warn(
                    "expression",
                    "an expression is opened by {{ and never closed: it stays in the text as it is",
                    self._review.key(path) if is_key else self._review.within(path, "{{"),
                    resource=about,
                )

    def _compile(
        self,
        source: str,
        path: Path,
        about: str,
        *,
        as_bool: bool = False,
        only_lookup: bool = False,
        is_key: bool = False,
        is_early: bool = False,
        whole: str = "",
        start: int = 0,
    ) -> None:
        """Compile an expression that begins at `start` of the text `whole`, or is all of its text."""

        def place(offset: int) -> Position | None:
            if is_key:
                return self._review.key(path)
            # Only for a finding: counting for each expression takes long in a text with very many.
            before = whole.count(source.partition("\n")[0], 0, whole.find(source, start)) if whole else 0
            return self._review.within(path, source, 0 if "\n" in source[:offset] else offset, before=before)

        fault = fault_of(source, as_bool, only_lookup=only_lookup)
        if fault is not None:
            error, advice = fault
            found = InvalidResource(f"expr compile error for '{source}': {error.message}", resource=about)
            found.advice = advice
            self._review.refuse("expression", found, place(error.column - 1 if error.line == 1 else 0))
            return
        self._check_source(source, about, place, only_lookup=only_lookup, is_early=is_early)

    def _check_source(
        self, source: str, about: str, place: Place, *, only_lookup: bool = False, is_early: bool = False
    ) -> None:
        self._calls.check(source, about, place)
        self._facts.check(source, about, place)
        self._lookups.check(source, about, place, only_lookup=only_lookup)
        check_sent(self._review, source, about, place, is_early=is_early, portable=self._portable)
