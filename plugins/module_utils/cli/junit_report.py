# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The file of `--junit`: the events of a run as JUnit XML, a suite for each manifest."""

from __future__ import annotations

from ..engine.event_log import outcome
from ..engine.sink import Sink
from ..host.errors import HostError
from ..host.files import write_file
from ..host.replaceable import require_output
from ..model.errors import CCMError, ResourceFailed
from ..redaction.texts import shown_source
from ..resources.mount_points import require_no_mount_on
from .failure import EXPECTED, text_of
from .junit import JUnitCase, junit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Sequence

    from ..model.event import Event
    from ..model.flags import Values

_MODE = 0o644


def with_junit(values: Values, run: Callable[[Sequence[Sink]], int]) -> int:
    """Call `run` with the sinks of a run, write its file, and return the exit status that it returned.

    A manifest that cannot be used is a failed case. Raises what `run` raises, after the file is written, and CCMError
    when that is not possible: before the run when something is in its place that no file replaces.
    """
    report = _JUnitReport(shown_source(values.manifest))
    try:
        require_output(values.junit)
        require_no_mount_on([values.junit])
    except (HostError, ResourceFailed) as error:
        raise _unwritable(values.junit, error) from None
    try:
        return run((report,))
    except EXPECTED as error:
        report.fail(text_of(error))
        raise
    finally:
        try:
            write_file(values.junit, report.text().encode("utf-8"), mode=_MODE)
        except HostError as error:
            raise _unwritable(values.junit, error) from None


def _unwritable(path: str, error: HostError | ResourceFailed) -> CCMError:
    return CCMError(f"cannot write the report {path}: {error}", value=path)


class _JUnitReport(Sink):
    """A test suite for each manifest of a run, with a case for each resource."""

    def __init__(self, manifest: str) -> None:
        self._manifest = manifest
        self._suites: dict[str, list[JUnitCase]] = {manifest: []}

    def finished(self, event: Event) -> None:
        """Add the case of a resource to the suite of its manifest."""
        suite = event.parent.name if event.parent else self._manifest
        self._suites.setdefault(suite, []).append(_case(event))

    def fail(self, text: str) -> None:
        """Add the failure of the manifest itself."""
        self._suites[self._manifest].append(JUnitCase("manifest", self._manifest, failure=text))

    def text(self) -> str:
        """Return the document."""
        return junit(list(self._suites.items()))


def _case(event: Event) -> JUnitCase:
    word = outcome(event)
    failed = "; ".join((*event.errors, *event.check_failures))
    if event.error_position:
        failed += f"\n  at {event.error_position}"
    skipped = ", ".join(event.unmet_requirements)
    if event.skipped:
        skipped = f"unmet requirement: {skipped}" if skipped else "its control is not met"
    return JUnitCase(
        event.type,
        f"{event.type}#{event.shown_name}",
        failure=failed if event.failed else "",
        skipped=skipped if event.skipped and not event.failed else "",
        output=word + (f": {event.noop_message}" if event.noop_message else ""),
        duration=event.duration,
    )
