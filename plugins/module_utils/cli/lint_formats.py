# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Findings in the formats of code scanning and continuous integration: SARIF 2.1.0, GitHub's commands, JUnit XML."""

from __future__ import annotations

from ..lang.controls import escaped
from ..lint.finding import ERROR
from ..lint.rules import RULES
from ..version import VERSION
from .documents import json_document
from .junit import JUnitCase, junit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, List

    from ..lint.finding import Finding
    from ..model.values import Data

    #: The findings of each manifest, by its name.
    Found = Dict[str, List[Finding]]

# The characters of paths that URIs have as they are.
_UNQUOTED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/"
_SARIF = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(found: Found) -> str:
    """Return the findings as one SARIF log, with a rule for each kind of finding."""
    findings = [finding for each in found.values() for finding in each]
    rules = sorted({finding.rule for finding in findings})
    texts = {rule.name: rule for rule in RULES}
    described: list[Data] = [
        {"id": rule, "shortDescription": {"text": f"Finds {texts[rule].finds}."}, "help": {"text": texts[rule].advice}}
        for rule in rules
    ]
    driver: Data = {"name": "ccm lint", "version": VERSION, "rules": described}
    results = [_result(name, finding, rules) for name, each in found.items() for finding in each]
    run: Data = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json_document({"$schema": _SARIF, "version": "2.1.0", "runs": [run]})


def _result(manifest: str, finding: Finding, rules: list[str]) -> Data:
    position = finding.position
    physical: Data = {"artifactLocation": {"uri": _uri(position.file if position else manifest)}}
    if position and position.line:
        physical["region"] = {"startLine": position.line, "startColumn": max(position.column, 1)}
    return {
        "ruleId": finding.rule,
        "ruleIndex": rules.index(finding.rule),
        "level": finding.level,
        "message": {"text": _whole(finding)},
        "locations": [{"physicalLocation": physical}],
    }


def _uri(path: str) -> str:
    """Return a relative path as a reference, an absolute one as an address, an address unchanged."""
    if "://" in path:
        return path
    quoted = "".join(
        chr(byte) if chr(byte) in _UNQUOTED else f"%{byte:02X}" for byte in path.encode("utf-8", "replace")
    )
    return ("file://" if path.startswith("/") else "") + quoted


def github(found: Found) -> str:
    """Return a command of GitHub Actions for each finding, which becomes a note at its line."""
    lines = []
    for name, each in found.items():
        for finding in each:
            position = finding.position
            about = {"file": position.file if position else name}
            if position and position.line:
                about.update(line=str(position.line), col=str(max(position.column, 1)))
            about["title"] = f"ccm lint: {finding.rule}"
            given = ",".join(f"{key}={_escaped(value, ':,')}" for key, value in about.items())
            lines.append(f"::{'error' if finding.level == ERROR else 'warning'} {given}::{_escaped(_whole(finding))}\n")
    return "".join(lines)


def _escaped(text: str, more: str = "") -> str:
    shown = escaped(text, "\t\r\n")
    return "".join(f"%{ord(char):02X}" if char in f"%\r\n{more}" else char for char in shown)


def lint_junit(found: Found) -> str:
    """Return the findings as JUnit XML: a suite for each manifest, and one passed case where nothing was found."""
    return junit([(name, [_case(name, one) for one in each] or [_case(name)]) for name, each in found.items()])


def _case(manifest: str, finding: Finding | None = None) -> JUnitCase:
    if finding is None:
        return JUnitCase("ccm lint", manifest)
    place = str(finding.position) if finding.position and finding.position.line else manifest
    name = f"{place} {finding.rule}"
    text = f"{finding.level}: {_whole(finding)}\n{finding.excerpt}".strip()
    if finding.level == ERROR:
        return JUnitCase("ccm lint", name, failure=text, kind=finding.rule)
    return JUnitCase("ccm lint", name, output=text)


def _whole(finding: Finding) -> str:
    """Return the message with its property, its resource and its advice."""
    return (
        (f"{finding.about}: " if finding.about else "")
        + finding.message
        + (f"; {finding.advice}" if finding.advice else "")
    )
