# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rules of names that can be resolved."""

from __future__ import annotations

from ....host.errors import HostError
from ....host.names import addresses, records
from ..kind import Kind
from ..rule import timeout_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..kind import Snapshot
    from ..rule import Rule

_TIMEOUT_MS = 500
_TRIES = 3


class _Lookup:
    """A name, `HOST` or `TYPE:HOST`, looked up once when first asked of."""

    def __init__(self, name: str, server: str, seconds: float) -> None:
        kind, colon, host = name.partition(":")
        is_typed = bool(colon) and kind.isascii() and kind.isalpha() and kind.isupper()
        self._kind, self._host = (kind, host) if is_typed else ("", name)
        self._server = server
        self._seconds = seconds
        self._refusal: HostError | None = None
        self._found: tuple[str, ...] | None = None

    def addrs(self) -> tuple[str, ...]:
        """What was found, sorted."""
        if self._found is None and self._refusal is None:
            self._look()
        if self._refusal is not None:
            raise self._refusal
        return self._found or ()

    def resolvable(self) -> bool:
        """Whether anything was found."""
        return bool(self.addrs())

    def _look(self) -> None:
        for _attempt in range(_TRIES):
            try:
                if self._server:
                    found = records(self._host, self._kind, self._server, self._seconds)
                else:
                    found = addresses(self._host, self._seconds)
            except HostError as error:
                self._refusal = error
                continue
            self._refusal, self._found = None, tuple(sorted(found))
            if found or not self._server:
                return


def _examine(rule: Rule, snapshot: Snapshot) -> None:
    given = rule.attributes
    if given.get("resolvable") is None:
        given["resolvable"] = given.get("resolveable")
    lookup = _Lookup(rule.about, given.get("server") or "", timeout_of(rule, _TIMEOUT_MS) / 1000)
    rule.gate("resolvable", lookup.resolvable)
    rule.may("addrs", lookup.addrs)


KIND = Kind(
    "DNS",
    {"resolvable": "matcher", "resolveable": "matcher", "addrs": "matcher", "timeout": "integer", "server": "text"},
    _examine,
    required=("resolvable", "resolveable"),
    subject="resolve",
)
