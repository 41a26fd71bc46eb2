# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What apt-get or dpkg said last, for the reason of a failure."""

from __future__ import annotations

from ...host.commands import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ...host.commands import Result

_MOST = 3


def lines_of(result: Result) -> list[str]:
    """What a program wrote to stderr, in lines without blanks around, empty ones left out."""
    return [line.strip() for line in decode(result.stderr).splitlines() if line.strip()]


def last_words(lines: Sequence[str], marks: tuple[str, ...]) -> str:
    """At most three lines, those that begin with one of `marks` before others, in their order with " / " between."""
    marked = [at for at, line in enumerate(lines) if line.startswith(marks)][-_MOST:]
    others = [at for at, line in enumerate(lines) if at not in marked and not line.startswith(marks)]
    room = _MOST - len(marked)
    chosen = sorted(marked + others[-room:] if room else marked)
    return " / ".join(lines[at] for at in chosen)
