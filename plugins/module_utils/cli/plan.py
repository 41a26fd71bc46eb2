# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm plan`: what applying a manifest would change, in which order, and what would be done together."""

from __future__ import annotations

import sys

from ..engine.session import Session
from ..engine.status_line import outcome
from ..manifest.reader import read_manifest
from ..manifest.run import run_manifest
from ..manifest.source import fetch_manifest
from .apply import CONNECTION, MANIFEST, SOURCES, manifest_inputs
from .command import Command, Flag
from .console import Console

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator

    from ..manifest.manifest import Manifest
    from ..model.event import Event
    from ..model.resource import Decision, Resource
    from ..model.state import State
    from .command import Values

_CHANGES, _FAILS = 2, 1
_MARKS = {"changed": "~", "refreshed": "~", "failed": "!", "stable": "="}


def _plan(values: Values) -> int:
    console = Console(values, sys.stderr)
    text = fetch_manifest(values.manifest, console.user_log, values.context)
    try:
        manifest = read_manifest(text.text, text.name, text.directory, manifest_inputs(values, console))
        plan = _Plan(manifest)
        run_manifest(
            manifest,
            Session(),
            noop=True,
            log=console.log,
            user_log=console.quiet_log,
            on_event=plan.note,
            before=plan.look,
        )
    finally:
        text.remove_temporary()
    console.user_log.flush()
    if values.json:
        from ..lang.gojson import marshal

        sys.stdout.write(marshal(plan.as_dict(), indent="  ", sort_keys=False) + "\n")
    else:
        sys.stdout.writelines(f"{line}\n" for line in plan.lines(console.colours))
    return plan.status


class _Step:
    """What would become of one resource: its event, and the lines of what would differ."""

    def __init__(self, event: Event, differences: list[str]) -> None:
        self.event = event
        self.differences = differences
        self.reference = event.resource.reference
        self.word = outcome(event)
        self.told = "; ".join(event.errors) or event.noop_message
        if event.unmet_requirements:
            self.told = ", ".join(event.unmet_requirements)
        self.together: list[str] = []

    def as_dict(self, order: int) -> dict[str, Any]:
        return {
            "order": order,
            "resource": self.reference,
            "alias": self.event.alias,
            "outcome": self.word,
            "message": self.told,
            "together_with": self.together,
            "differences": self.differences,
        }


class _Plan:
    """The steps of a manifest's run in noop, told one by one."""

    def __init__(self, manifest: Manifest) -> None:
        self._manifest = manifest
        self._steps: list[_Step] = []
        self._seen: dict[int, list[str]] = {}

    def look(self, resource: Resource, provider: Any, state: State, decision: Decision) -> None:
        """Keep what would differ of a resource."""
        if decision.verbs:
            found = provider.differences(resource.properties, state)
            if found:
                from .difference import drawn

                self._seen[id(resource)] = drawn(resource, provider, found)

    def note(self, event: Event) -> None:
        """Keep what would become of a resource."""
        self._steps.append(_Step(event, self._seen.pop(id(event.resource), [])))

    @property
    def status(self) -> int:
        """The exit status: 0 nothing would change, 2 something would, 1 something would fail."""
        if any(step.event.failed for step in self._steps):
            return _FAILS
        return _CHANGES if any(step.event.changed for step in self._steps) else 0

    def as_dict(self) -> dict[str, Any]:
        """The plan for machines."""
        self._group()
        return {
            "manifest": self._manifest.source,
            "steps": [step.as_dict(order) for order, step in enumerate(self._steps, 1)],
            **self._counts(),
        }

    def lines(self, colours: bool) -> Iterator[str]:
        """The plan for people."""
        from .difference import coloured

        self._group()
        yield f"Plan for {self._manifest.source}"
        yield ""
        for order, step in enumerate(self._steps, 1):
            mark = _MARKS.get(step.word, "-")
            said = step.told if step.word == "changed" else ": ".join(filter(None, (step.word, step.told)))
            line = f"{mark} {step.reference}: {said}"
            yield f"{order:>4}. " + (coloured(line) if colours else line)
            if step.together:
                yield f"        together with {', '.join(step.together)}"
            yield from ("        " + (coloured(each) if colours else each) for each in step.differences)
        yield ""
        yield ", ".join(f"{count} {word.replace('_', ' ')}" for word, count in self._counts().items())

    def _counts(self) -> dict[str, int]:
        events = [step.event for step in self._steps]
        failed = sum(event.failed for event in events)
        skipped = sum(event.skipped and not event.failed for event in events)
        changed = sum(event.changed and not (event.failed or event.skipped) for event in events)
        return {
            "to_change": changed,
            "stable": len(events) - failed - skipped - changed,
            "skipped": skipped,
            "to_fail": failed,
        }

    def _group(self) -> None:
        """Note which steps would be done at once."""
        if not self._manifest.is_grouped:
            return
        from ..engine.grouping import groups

        acting = {id(step.event.resource): step for step in self._steps if step.event.changed}
        for group in groups(self._manifest.resources):
            members = [acting[id(resource)] for resource in group if id(resource) in acting]
            for step in members:
                step.together = [other.reference for other in members if other is not step]


PLAN = Command(
    "plan",
    "Show what applying a manifest would change",
    details="""Every resource in the order in which it would be managed, what would become of it, what would differ, and
which would be done at once. Nothing is changed.

The exit status is 0 when nothing would change, 2 when something would, and 1 when something would fail or the manifest
is wrong.""",
    arguments=(MANIFEST,),
    flags=(*SOURCES, Flag("json", "set", "Output the plan in JSON format"), *CONNECTION),
    run=_plan,
)
