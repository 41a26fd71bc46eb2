# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The mistakes of a manifest that cannot run, more than the first one; only imported when there is one (Q115)."""

from __future__ import annotations

import os

from ..engine.graph.references import WrongReference
from ..lint.check import findings
from ..lint.finding import ERROR
from ..model.errors import CCMError
from ..model.foreign_words import is_of_table
from ..redaction.faults import holds_secret
from ..redaction.texts import shown_source
from .failure import EXPECTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..lint.finding import Finding
    from ..manifest.source import ManifestText
    from ..model.flags import Values

#: How many are shown, the first one included.
_MOST = 5


class Mistakes(CCMError):
    """The first mistake of a manifest with all its fields, and `others`; `hint` says where all are shown."""

    def __init__(self, first: CCMError, others: list[CCMError], hint: str) -> None:
        super().__init__(first.message)
        self.__dict__.update(first.__dict__)
        self.others = others
        self.hint = hint


def with_others(first: CCMError, text: ManifestText, values: Values) -> CCMError:
    """Return the error of a manifest together with other mistakes that `ccm lint` finds in the same file."""
    if os.environ.get("NO_SCHEMA_VALIDATION") == "1":
        return first
    try:
        # Given facts and data are not read again, as they may come from a pipe: no error depends on them.
        found = findings(text.text, text.name, text.directory, portable=False, is_parallel="parallel" in values.given)
    except EXPECTED:
        return first
    mistakes = [each for each in found if each.level == ERROR and each.position and each.position.file == text.name]
    others = [each for each in mistakes if not _is_same(each, first)]
    for each in mistakes:
        if _is_same(each, first):
            first.advice = each.advice if is_of_table(each.advice) else first.advice or each.advice
    if not others:
        return first
    command = f"ccm lint {shown_source(values.manifest)}"
    count = len(mistakes) + (len(mistakes) == len(others))
    hint = f"{count} mistakes: {command} shows them all"
    return Mistakes(first, [_error(each) for each in others[: _MOST - 1]], hint)


def _is_same(finding: Finding, error: CCMError) -> bool:
    """Return whether a finding is what a run reported first."""
    if isinstance(error, WrongReference) and finding.rule == "reference":
        # A run names the place of the resource, lint the place of the reference.
        about = (finding.resource, finding.property) == (error.resource, error.property)
        return about and str(error.value) in finding.message
    if finding.message in error.message.partition("\n")[2]:
        # Data has all its faults in one error.
        return True
    here, there = finding.position, error.position
    if here is None or there is None or here == there:
        return here == there or finding.message in error.message
    return (here.file, here.line) == (there.file, there.line) and finding.message in error.message


def _error(finding: Finding) -> CCMError:
    return CCMError(
        finding.message,
        resource=finding.resource,
        property=finding.property,
        position=finding.position,
        advice=finding.advice,
        excerpt="" if holds_secret(finding.excerpt) else finding.excerpt,
    )
