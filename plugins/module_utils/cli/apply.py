# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm apply`: run a manifest (behaviour.md 19.1)."""

from __future__ import annotations

import os
import sys

from ..data.environment import facts_of_machine
from ..engine.context import Context
from ..engine.session import Session
from ..engine.sink import Sink
from ..engine.summary import Summary
from ..host.machine import Machine
from ..manifest.loader import Inputs
from ..manifest.reader import read_manifest
from ..manifest.run import RunInterrupted, run_manifest
from ..manifest.source import fetch_manifest
from ..model.clock import change_time
from ..model.errors import CCMError
from ..model.flags import REGISTRATION, Argument, Flag
from .command import Command
from .console import Console, print_yaml, run_time, table
from .run import (
    NATS_CONTEXT,
    READ_ENV,
    REGISTER,
    environment_variables,
    hierarchy_data,
    nats_of,
    note_registrations,
    open_session,
)
from .sources import GIVEN
from .state_flags import STATE, states_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Sequence

    from ..data.hierarchy import Resolved
    from ..engine.attempt import Attempt
    from ..manifest.manifest import Manifest
    from ..manifest.source import ManifestText
    from ..model.flags import Values
    from ..model.values import Data, Facts

_CHANGED, _FAILED = 2, 4
_TITLE = "Manifest Run Summary"


def _apply(values: Values) -> int:
    run: Callable[[Sequence[Sink]], int] = lambda sinks: _applied(values, sinks)  # noqa: E731
    if values.register:
        from .registering import with_registrations

        run = with_registrations(values, run)
    if values.junit:
        from .junit_report import with_junit

        return with_junit(values, run)
    return run(())


def _applied(values: Values, sinks: Sequence[Sink] = ()) -> int:
    if values.upstream and not values.render:
        raise CCMError("--upstream is for a manifest that is only rendered", advice="add --render")
    require_time("until-converged", values.until_converged)
    if values.until_converged and values.monitor_only:
        raise CCMError("--until-converged manages resources, which --monitor-only does not", advice="leave one out")
    console = Console(values)
    inputs = manifest_inputs(values, console)
    with fetch_manifest(values.manifest, console.user_log, inputs.nats) as text:
        manifest = read_given(text, inputs, values)
        text.text = b""  # the manifest has it
        if values.render:
            return _render(manifest, upstream=values.upstream)
        note_registrations(manifest, values, console.log)
        return _run(manifest, values, console, sinks)


def read_given(text: ManifestText, inputs: Inputs, values: Values) -> Manifest:
    """Return the manifest that a command was given. Raises CCMError, which has several mistakes where there are."""
    try:
        manifest = read_manifest(text.text, text.name, text.directory, inputs)
    except CCMError as error:
        from .mistakes import with_others

        raise with_others(error, text, values) from None
    text.announce()
    return manifest


def require_time(name: str, given: int) -> None:
    """Raise CCMError if a duration, in ns, is negative; 0 means never."""
    if given < 0:
        raise CCMError(f"--{name} is a negative time", advice="write a duration like 10s or 1h")


def manifest_inputs(values: Values, console: Console) -> Inputs:
    """Return what a manifest is resolved with, from the flags of SOURCES. Raises CCMError."""
    begun = change_time()
    given: Data = {}
    if values.fact or values.facts:
        from ..data.factfiles import given_facts

        given = given_facts(values.fact, values.facts)
    facts = facts_of_machine(console.log, given)
    inputs = Inputs(
        facts=facts,
        environ=environment_variables(values, console.log),
        overriding=_overriding(values, facts, console),
        strict=os.environ.get("NO_SCHEMA_VALIDATION") != "1",
        log=console.log,
        nats=lambda: nats_of(values),
        parallel=values.parallel if "parallel" in values.given else None,
        autoedges="no-autoedges" not in values.given,
        autogroup="no-autogroup" not in values.given,
    )
    inputs.begun = begun
    return inputs


def _overriding(values: Values, facts: Callable[[], Facts], console: Console) -> Callable[[], Resolved] | None:
    return (lambda: hierarchy_data(values.hiera, facts, values, console.log)) if values.hiera else None


def _render(manifest: Manifest, *, upstream: bool) -> int:
    from ..manifest.render import rendered

    print_yaml(rendered(manifest, upstream=upstream))
    return 0


def _run(manifest: Manifest, values: Values, console: Console, sinks: Sequence[Sink]) -> int:
    if manifest.pre_message:
        console.print(manifest.pre_message, "\n")
    session = open_session(values)
    # A directory may hold the events of other runs: this run is counted separately.
    counted = Session() if values.session else session
    interrupted: RunInterrupted | None = None
    all_sinks = (*sinks, Differences(console)) if values.diff else tuple(sinks)
    try:
        quiet = _until_converged(manifest, values)
        if quiet:
            from .watching import apply_until_converged

            def inputs() -> Inputs:
                return manifest_inputs(values, console)

            counted = apply_until_converged(manifest, values, console, inputs, all_sinks, quiet)
        else:
            if counted is not session:
                counted.start()
                all_sinks = (counted, *all_sinks)
            _run_once(manifest, values, console, session, all_sinks)
    except RunInterrupted as error:
        interrupted = error
    summary = Summary(counted)
    if manifest.post_message and not summary.failed and not interrupted:
        console.print(manifest.post_message)
    if values.report and console.is_json:
        console.user_log.info(_TITLE, **summary.as_dict())
    elif values.report:
        sys.stdout.write("\n" + _report(summary))
    if interrupted:
        raise interrupted
    return _status(summary) if values.detailed_exitcodes else 0


def _until_converged(manifest: Manifest, values: Values) -> int:
    """Return for how many ns nothing may change until the run ends, 0 for a single run."""
    if "until-converged" in values.given:
        return values.until_converged
    return 0 if values.noop or values.monitor_only else manifest.converged


def _run_once(manifest: Manifest, values: Values, console: Console, session: Session, sinks: Sequence[Sink]) -> None:
    writes = not (values.noop or values.monitor_only)
    context = Context(
        session,
        machine=Machine(console.user_log.before_waiting),
        noop=values.noop,
        health_check_only=values.monitor_only,
        log=console.log,
        user_log=console.user_log,
        child_sinks=sinks,
    )
    state, unrecorded = states_of(manifest, values, console.user_log, no_state=values.no_state, writes=writes)
    run_manifest(manifest, context, state, unrecorded=unrecorded)


class Differences(Sink):
    """Prints the differences of a resource before it is managed."""

    shows_differences = True

    def __init__(self, console: Console) -> None:
        self._console = console

    def decided(self, attempt: Attempt) -> None:
        """Print how the resource differs."""
        if attempt.differences:
            from .difference import coloured, drawn

            self._console.show(attempt.resource.reference, drawn(attempt), coloured)


def _report(summary: Summary) -> str:
    checked = str(summary.checked)
    if summary.checked:
        checked += (
            f" (ok: {summary.ok}, critical: {summary.critical}, warning: {summary.warning} unknown: {summary.unknown})"
        )
    return table(
        _TITLE,
        (
            ("Run Time", run_time(summary.duration)),
            ("Total Resources", summary.total),
            ("Stable Resources", summary.stable),
            ("Changed Resources", summary.changed),
            ("Failed Resources", summary.failed),
            ("Skipped Resources", summary.skipped),
            ("Refreshed Resources", summary.refreshed),
            ("Unmet Requirements", summary.unmet),
            ("Checked Resources", checked),
            ("Total Errors", summary.failed),
        ),
    )


def _status(summary: Summary) -> int:
    return (_CHANGED if summary.changed else 0) + (_FAILED if summary.failed else 0)


MANIFEST = Argument("manifest", "Path to manifest to apply", required=True, placeholder="URL", path="file")
SOURCES = (*GIVEN, READ_ENV)
PARALLEL = Flag(
    "parallel", "text", "Run in graph order, so many resources at once; auto: as many as processors", placeholder="N"
)
#: What the engine does on its own where a manifest does not say otherwise.
AUTOMATIC = (
    Flag("no-autoedges", "set", "In graph order, only follow what manifests say of the order, not what resources need"),
    Flag("no-autogroup", "set", "Manage each package alone"),
)
DIFF = Flag("diff", "set", "Show what differs before it is changed")
JUNIT = Flag("junit", "text", "Write the results to a file as JUnit XML", placeholder="FILE", path="file")
CONNECTION = (NATS_CONTEXT, REGISTRATION)

COMMAND = Command(
    "apply",
    "Apply a manifest",
    details="""A manifest can be given as

  - manifest.yaml: a file on this machine
  - obj://BUCKET/file.tgz: a gzipped tarball in a NATS object store
  - https://example.com/file.tgz: a gzipped tarball on a web server

With --detailed-exitcodes the exit status is 0 when nothing changed, 2 when something changed (or would change, with
--noop), 4 when something failed and 6 for both; otherwise it is 0 whenever the run took place. It is 1 when the
manifest or the arguments are wrong.""",
    arguments=(MANIFEST,),
    flags=(
        *SOURCES,
        Flag("noop", "set", "Do not make changes, only show what would be done"),
        Flag("monitor-only", "set", "Only perform monitoring"),
        Flag("render", "set", "Do not apply, only render the resolved manifest"),
        Flag("upstream", "set", "Render without meta and engine, which the original does not know"),
        Flag("report", "switch", "Generate a report", default=True),
        Flag("session", "text", "Session store to record events in", path="directory"),
        Flag(
            "until-converged",
            "duration",
            "Go on, and repair what changes, until nothing has changed for so long",
            default=0,
            placeholder="10s",
        ),
        Flag("detailed-exitcodes", "set", "Report changes and failures in the exit status"),
        DIFF,
        PARALLEL,
        *AUTOMATIC,
        JUNIT,
        *STATE,
        REGISTER,
        *CONNECTION,
    ),
    run=_apply,
)
