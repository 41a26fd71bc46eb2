# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Results as JUnit XML, which systems for continuous integration show: a test suite for each manifest."""

from __future__ import annotations

from ..lang.controls import escaped
from ..version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Sequence

_NANOSECONDS = 1_000_000_000
_NONCHARACTERS = "\ufffe\uffff"
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\t": "&#9;", "\r": "&#13;"}


class JUnitCase:
    """A test case: `name` in the class `group`, its `duration` in ns, and its `output`.

    `failure` is why it failed and `skipped` why it did not run, "" when that is not so; `kind` is a word for the
    failure.
    """

    def __init__(
        self,
        group: str,
        name: str,
        *,
        failure: str = "",
        kind: str = "error",
        skipped: str = "",
        output: str = "",
        duration: int = 0,
    ) -> None:
        self.group = group
        self.name = name
        self.failure = failure
        self.kind = kind
        self.skipped = skipped
        self.output = output
        self.duration = duration

    def lines(self) -> Iterable[str]:
        """Yield its element, indented."""
        inside = []
        if self.failure:
            first = self.failure.partition("\n")[0]
            inside.append(
                f"      <failure {_attributes(message=first, type=self.kind)}>{_text(self.failure)}</failure>"
            )
        if self.skipped:
            inside.append(f"      <skipped {_attributes(message=self.skipped)}/>")
        if self.output:
            inside.append(f"      <system-out>{_text(self.output)}</system-out>")
        about = _attributes(classname=self.group, name=self.name, time=_seconds(self.duration))
        return [f"    <testcase {about}>", *inside, "    </testcase>"] if inside else [f"    <testcase {about}/>"]


def junit(suites: Sequence[tuple[str, Sequence[JUnitCase]]]) -> str:
    """Return the document for test suites, each a name and its cases."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites {_attributes(name=f'ccm {VERSION}')}>"]
    for name, cases in suites:
        about = _attributes(
            name=name,
            tests=str(len(cases)),
            failures=str(sum(bool(case.failure) for case in cases)),
            errors="0",
            skipped=str(sum(bool(case.skipped) for case in cases)),
            time=_seconds(sum(case.duration for case in cases)),
        )
        lines += [f"  <testsuite {about}>", *(line for case in cases for line in case.lines()), "  </testsuite>"]
    return "\n".join([*lines, "</testsuites>", ""])


def _seconds(nanoseconds: int) -> str:
    return f"{nanoseconds / _NANOSECONDS:.3f}"


def _attributes(**values: str) -> str:
    return " ".join(f'{name}="{_text(value)}"' for name, value in values.items())


def _text(text: str) -> str:
    """Return a text for XML, without characters that XML cannot have or that control a terminal."""
    shown = escaped(text, "\t\r\n")
    return "".join(_ESCAPES.get(char) or (ascii(char)[1:-1] if char in _NONCHARACTERS else char) for char in shown)
