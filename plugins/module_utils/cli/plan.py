# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm plan`: what applying a manifest would change, in which order, and what would be done together."""

from __future__ import annotations

import sys

from ..engine.context import Context
from ..engine.event_log import outcome
from ..engine.grouped_order import GroupedOrder
from ..engine.session import Session
from ..engine.sink import Sink
from ..host.machine import Machine
from ..lang.controls import escaped, escaped_lines
from ..manifest.run import run_manifest
from ..manifest.source import fetch_manifest
from ..model.decision import preview
from ..model.flags import Flag
from ..redaction.texts import shown_source
from .apply import AUTOMATIC, CONNECTION, JUNIT, MANIFEST, SOURCES, manifest_inputs, read_given
from .command import Command
from .console import Console
from .difference import coloured, drawn
from .documents import json_document
from .failure import EXPECTED, fields_of, text_of
from .junit_report import with_junit
from .quiet_log import QuietLog
from .run import nats_of
from .state_flags import STATE, state_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator, Sequence

    from ..engine.attempt import Attempt
    from ..manifest.manifest import Manifest
    from ..model.event import Event
    from ..model.flags import Values
    from ..model.resource import Properties
    from ..model.values import Data, ManifestProperties

_CHANGES, _FAILS = 2, 1
_MARKS = {"changed": "~", "refreshed": "~", "failed": "!", "stable": "="}


def _plan(values: Values) -> int:
    if values.junit:
        return with_junit(values, lambda sinks: _planned(values, sinks))
    return _planned(values)


def _planned(values: Values, sinks: Sequence[Sink] = ()) -> int:
    console = Console(values, sys.stderr)
    try:
        plan = _made(values, console, sinks)
    except EXPECTED as error:
        if values.json:
            _print_json({"manifest": shown_source(values.manifest), "error": text_of(error), **fields_of(error)})
        raise
    console.user_log.flush()
    if values.json:
        _print_json(plan.as_dict())
    else:
        for line in plan.lines(console.colours):
            console.print_result(line)
    return plan.status


def _made(values: Values, console: Console, sinks: Sequence[Sink]) -> _Plan:
    with fetch_manifest(values.manifest, console.user_log, lambda: nats_of(values)) as text:
        manifest = read_given(text, manifest_inputs(values, console), values)
        plan = _Plan(manifest)
        context = Context(
            Session(),
            machine=Machine(console.user_log.before_waiting),
            noop=True,
            log=console.log,
            user_log=QuietLog(console.user_log, warns=True),
            child_sinks=(plan, *sinks),
        )
        state = None if values.no_state else state_of(manifest, values, console.user_log, writes=False)
        run_manifest(manifest, context, state)
    return plan


def _print_json(document: Data) -> None:
    sys.stdout.write(json_document(document))


class _Step:
    """The planned result of one resource: its event, the lines of its differences, and the steps of its children."""

    def __init__(self, event: Event, differences: list[str], children: list[_Step]) -> None:
        self.event = event
        self.differences = differences
        self.children = children
        self.reference = f"{event.type}#{event.shown_name}"
        self.word = outcome(event)
        self.message = "; ".join(event.errors) or preview(event.decision, event.noop_message)
        if event.unmet_requirements:
            self.message = ", ".join(event.unmet_requirements)
        elif children and not self.message:
            self.message = _in_words(_counts(children))
        self.together: list[str] = []

    def flattened(self, depth: int, manifest: str) -> Iterator[tuple[_Step, int, str]]:
        """Yield this step and those below it, each with its depth and its manifest."""
        yield self, depth, manifest
        for step in self.children:
            yield from step.flattened(depth + 1, self.event.shown_name)

    def as_dict(self, order: int, depth: int, manifest: str) -> Data:
        return {
            "order": order,
            "depth": depth,
            "manifest": manifest,
            "resource": self.reference,
            "alias": self.event.alias,
            "outcome": self.word,
            "message": self.message,
            "cause": self.event.status.cause if self.event.status else "",
            "together_with": self.together,
            "differences": self.differences,
            "error_position": self.event.error_position,
        }

    def line(self) -> str:
        """Return the step in one line, for users."""
        label = escaped(f"{self.reference} ({self.event.alias})" if self.event.alias else self.reference)
        is_plain = self.word == "changed" or (self.children and self.word == "stable")
        # Numbers of steps are further left than all lines of a message.
        message = escaped_lines(self.message).replace("\n", "\n        ")
        texts = [message] if is_plain else [self.word, message]
        return f"{_MARKS.get(self.word, '-')} {label}: {': '.join(filter(None, texts))}"


class _Plan(Sink):
    """The steps of a manifest's run in noop, received one by one."""

    shows_differences = True

    def __init__(self, manifest: Manifest) -> None:
        self._manifest = manifest
        self._steps: list[_Step] = []
        self._differences: dict[Properties | None, list[str]] = {}
        self._children: dict[ManifestProperties | Properties | None, list[_Step]] = {}

    def decided(self, attempt: Attempt) -> None:
        """Keep the differences of the decision about a resource."""
        if attempt.differences:
            self._differences[attempt.resource.properties] = drawn(attempt)

    def finished(self, event: Event) -> None:
        """Keep the planned result of a resource, among the steps of the resource that applies its manifest."""
        properties = event.resource.properties if event.resource else None
        step = _Step(event, self._differences.pop(properties, []), self._children.pop(properties, []))
        siblings = self._steps if event.parent is None else self._children.setdefault(event.parent, [])
        siblings.append(step)

    @property
    def status(self) -> int:
        """The exit status: 0 nothing would change, 2 something would, 1 something would fail."""
        events = [step.event for step, _depth, _manifest in self._flattened()]
        if any(event.failed for event in events):
            return _FAILS
        return _CHANGES if any(event.changed for event in events) else 0

    def as_dict(self) -> Data:
        """Return the plan for machines."""
        self._group()
        return {
            "manifest": self._manifest.source,
            "steps": [
                step.as_dict(order, depth, manifest)
                for order, (step, depth, manifest) in enumerate(self._flattened(), 1)
            ],
            **_counts(self._steps),
        }

    def lines(self, colours: bool) -> Iterator[str]:
        """Yield the plan for users."""
        self._group()
        show = coloured if colours else str
        yield show(escaped(f"Plan for {self._manifest.source}"))
        yield ""
        for order, (step, depth, _manifest) in enumerate(self._flattened(), 1):
            indent, line = "    " * depth, step.line()
            yield f"{order:>4}. {indent}" + show(line)
            if step.event.error_position:
                yield f"        {indent}" + show(escaped(f"at {step.event.error_position}"))
            if step.together:
                yield f"        {indent}" + show(escaped(f"together with {', '.join(step.together)}"))
            yield from (f"        {indent}" + show(each) for each in step.differences)
        yield ""
        yield _in_words(_counts(self._steps), every=True)

    def _flattened(self) -> Iterator[tuple[_Step, int, str]]:
        """Yield all steps; the steps of a child manifest come after the step that applies it."""
        for step in self._steps:
            yield from step.flattened(0, self._manifest.source)

    def _group(self) -> None:
        """Note which steps would be done together."""
        if not self._manifest.is_grouped:
            return
        acting = {id(step.event.resource): step for step in self._steps if step.event.changed}
        resources = self._manifest.resources
        order = GroupedOrder(resources, self._manifest.notifying)
        for indexes in iter(order.start, ()):
            members = [acting[id(resources[index])] for index in indexes if id(resources[index]) in acting]
            for step in members:
                step.together = [other.reference for other in members if other is not step]


def _counts(steps: Sequence[_Step]) -> dict[str, int]:
    """Count resources by outcome; an apply resource counts as its children."""
    counts = {"to_change": 0, "stable": 0, "skipped": 0, "to_fail": 0}
    for step in steps:
        event = step.event
        if step.children:
            for key, count in _counts(step.children).items():
                counts[key] += count
        elif event.failed:
            counts["to_fail"] += 1
        elif event.skipped:
            counts["skipped"] += 1
        else:
            counts["to_change" if event.changed else "stable"] += 1
    return counts


def _in_words(counts: dict[str, int], *, every: bool = False) -> str:
    """Return counts for users, without zeros unless `every` one is wanted."""
    return ", ".join(f"{count} {word.replace('_', ' ')}" for word, count in counts.items() if count or every)


COMMAND = Command(
    "plan",
    "Show what applying a manifest would change",
    details="""List every resource in the order in which it would be managed, with what would change, and which would
be managed together. Resources of a child manifest are below the resource that applies it. Nothing is
changed, but the guards of exec resources (onlyif, unless) run, as in the original. Warnings are on standard error.

The exit status is 0 when nothing would change, 2 when something would, and 1 when something would fail or the
manifest is wrong.""",
    arguments=(MANIFEST,),
    flags=(*SOURCES, Flag("json", "set", "Output the plan in JSON format"), *AUTOMATIC, JUNIT, *STATE, *CONNECTION),
    run=_plan,
)
