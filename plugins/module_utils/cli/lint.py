# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm lint`: checks a manifest without a host."""

from __future__ import annotations

import os
import sys

from ..data.factfiles import given_facts
from ..data.reading import parse_document
from ..data.sources import fetch_data
from ..lang.controls import escaped, escaped_lines
from ..lint.check import findings
from ..lint.finding import ERROR, Finding
from ..lint.known import KnownValues, sections
from ..manifest.source import fetch_manifest, read_manifest_text
from ..model.errors import CCMError, Position
from ..model.flags import Argument, Flag
from ..redaction.faults import holds_secret
from ..redaction.texts import shown_source
from .command import Command
from .console import Console
from .documents import json_document
from .failure import EXPECTED, position_of, report, text_of
from .lint_formats import github, lint_junit, sarif
from .run import NATS_CONTEXT, nats_of
from .sources import GIVEN
from .terminal import write_as_is

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator

    from ..model.flags import Values
    from ..model.values import Value
    from ..nats.access import NatsAccess

_FAULTY = 1
_TEXT, _JSON = "text", "json"
_STANDARD_INPUT = "-"
_UNREADABLE = "unreadable"
_RED, _YELLOW, _BOLD, _FAINT, _PLAIN = "\x1b[31;1m", "\x1b[33;1m", "\x1b[1m", "\x1b[2m", "\x1b[0m"


def _lint(values: Values) -> int:
    console = Console(values, sys.stderr)
    format = _format(values)
    found: dict[str, list[Finding]] = {}
    for source in values.manifest:
        name, findings, printable = _checked(source, values, console)
        found.setdefault(name, []).extend(findings)
        if format == _TEXT and printable:
            _print(name, findings)
        elif format == _JSON:
            _print_json(name, findings)
    if format not in (_TEXT, _JSON):
        write = {"sarif": sarif, "github": github, "junit": lint_junit}
        sys.stdout.write(write[format](found))
    everything = [finding for each in found.values() for finding in each]
    return _FAULTY if any(finding.level == ERROR or values.strict for finding in everything) else 0


def _format(values: Values) -> str:
    """Return the format of the output: the given one, else GitHub's in one of its workflows, else text."""
    if values.json:
        if values.format not in ("", _JSON):
            raise CCMError(f"--json and --format {values.format} exclude each other", advice="give one of them")
        return _JSON
    return values.format or ("github" if os.environ.get("GITHUB_ACTIONS") == "true" else _TEXT)


def _checked(source: str, values: Values, console: Console) -> tuple[str, list[Finding], bool]:
    """Return the name of a manifest, its findings, and False when it cannot be read, which is reported as text."""
    try:
        name, found = _found(source, values, console)
    except EXPECTED as error:
        sys.stdout.flush()
        report(error, values.log_format)
        name = shown_source(source)
        place, advice = position_of(error) or Position(name, 0, 0), getattr(error, "advice", "")
        return name, [Finding(ERROR, _UNREADABLE, text_of(error), place, advice=advice)], False
    for finding in found:
        if finding.excerpt and holds_secret(finding.excerpt):
            finding.excerpt = ""
    return name, found, True


def _found(source: str, values: Values, console: Console) -> tuple[str, list[Finding]]:
    """Return the name of a manifest in messages, and its findings. Raises one of EXPECTED."""
    is_input = source == _STANDARD_INPUT

    def nats() -> NatsAccess:
        return nats_of(values)

    if is_input:
        console.user_log.before_waiting()
    with (
        read_manifest_text(sys.stdin.buffer, "stdin") if is_input else fetch_manifest(source, console.user_log, nats)
    ) as text:
        found = findings(
            text.text,
            text.name,
            text.directory,
            portable=values.portability,
            upstream=values.upstream,
            known=_known(values),
        )
        return text.name, found


def _known(values: Values) -> KnownValues:
    """Return the facts and data given in addition to the manifest. Raises DataError for an unreadable file."""
    known = KnownValues()
    if values.fact or values.facts:
        known = KnownValues(given_facts(values.fact, values.facts))
    if values.hiera:
        known = known.with_data(_overriding(values.hiera, values))
    return known


def _overriding(source: str, values: Values) -> list[Value] | None:
    """Return the mappings that data of `--hiera` may be in; None where it is on a web server."""
    if "://" in source and not source.startswith("kv:"):
        return None
    fetched = fetch_data(source, nats=lambda: nats_of(values), piped=True)
    return sections(parse_document(fetched.text, fetched.name, "", fetched.is_json).value)


def _print_json(name: str, found: list[Finding]) -> None:
    errors = sum(finding.level == ERROR for finding in found)
    document = {
        "manifest": name,
        "errors": errors,
        "warnings": len(found) - errors,
        "findings": [finding.as_dict() for finding in found],
    }
    sys.stdout.write(json_document(document))


def _print(name: str, found: list[Finding]) -> None:
    errors = sum(finding.level == ERROR for finding in found)
    coloured = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    for finding in found:
        write_as_is(sys.stdout, "\n".join(_lines(finding, coloured)) + "\n")
    warnings = len(found) - errors
    counts = [_counted(errors, "error"), _counted(warnings, "warning")] if found else ["nothing found"]
    sys.stdout.write(f"{escaped(name)}: {', '.join(counts)}\n")


def _lines(finding: Finding, coloured: bool) -> Iterator[str]:
    bold, faint, plain = (_BOLD, _FAINT, _PLAIN) if coloured else ("", "", "")
    level = (_RED if finding.level == ERROR else _YELLOW) if coloured else ""
    position = finding.position
    at = position.file if position and not position.line else position
    place = f"{bold}{escaped(str(at))}:{plain} " if at else ""
    yield f"{place}{level}{finding.level}:{plain} {escaped(finding.message)}{faint} [{finding.rule}]{plain}"
    for line in escaped_lines(finding.excerpt.rstrip()).split("\n") if finding.excerpt else ():
        yield f"    {line}"
    if finding.about:
        yield f"  in {escaped(finding.about)}"
    if finding.advice:
        yield f"  {escaped(finding.advice)}"


def _counted(count: int, word: str) -> str:
    return f"{count} {word}" + ("" if count == 1 else "s")


COMMAND = Command(
    "lint",
    "Look for mistakes in manifests",
    details="""Check each manifest and those that it applies, and list everything at once: unknown keys, wrong values,
expressions and templates that do not compile, references that point nowhere or forward, defaults that
nothing uses, lookups that find nothing, commands that need a shell, resources that are declared twice,
words of other tools, and secrets in plain text. No facts are gathered, and only the files that the manifest names are
read: what depends on facts is not known. Of --fact, --facts and --hiera only the names are used.

With --portability, what the original rejects or reads differently is listed too.

With --format sarif, github or junit the findings of all manifests are one document for code scanning, notes
of a workflow of GitHub, or JUnit XML.

The exit status is 0 when there are no errors, else 1; with --strict warnings count as errors.""",
    arguments=(
        Argument(
            "manifest",
            "Paths to the manifests, - for the standard input",
            kind="texts",
            required=True,
            placeholder="URL",
            path="file",
        ),
    ),
    flags=(
        *GIVEN,
        NATS_CONTEXT,
        Flag("json", "set", "Output findings in JSON format"),
        Flag(
            "format",
            "text",
            "Format of the findings; github by default in a workflow of GitHub, else text",
            choices=(_TEXT, _JSON, "sarif", "github", "junit"),
        ),
        Flag("strict", "set", "Fail on warnings too"),
        Flag("portability", "switch", "Warn of what the original would take otherwise"),
        Flag("upstream", "set", "Check for a run by the original: extensions are errors"),
    ),
    run=_lint,
)
