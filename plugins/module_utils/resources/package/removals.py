# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The packages that apt and dnf remove besides what they are to change, from their output (decisions.md Q98)."""

from __future__ import annotations

from ...host.results import output_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Collection, Sequence

    from ...model.log import Log

REMOVING = b"Removing "
#: dnf exits 0 when a package that is to be removed is excluded.
NOTHING_REMOVED = b"No packages marked for removal."
_SIMULATED = ("Remv ", "Purg ")
_REPLACING = "replacing"


def log_removed(
    log: Log, removed: Sequence[str], own: Collection[str], resource: str, message: str = "Removed other packages"
) -> None:
    """Log the removed packages without the resource's own."""
    others = [name for name in dict.fromkeys(removed) if name not in own and name.partition(":")[0] not in own]
    if others:
        log.warn(message, resource=f"package#{resource}", packages=", ".join(others))


def removed_by_apt(output: bytes) -> list[str]:
    """Return the names of the packages that dpkg removed: `Removing NAME (VERSION) ...`."""
    found = (line.split() for line in output_lines(output) if line.startswith("Removing ") and line.endswith(" ..."))
    return [words[1] for words in found if len(words) == len(("Removing", "NAME", "(VERSION)", "..."))]


def simulated_by_apt(output: bytes) -> list[str]:
    """Return the names of the packages that apt-get would remove: `Remv NAME [VERSION]`, or `Purg` with `--purge`."""
    return [line.split()[1] for line in output_lines(output) if line.startswith(_SIMULATED)]


def removed_by_dnf(output: bytes) -> list[str]:
    """Return the names of the packages that dnf removes or replaces by another one, from its table of the transaction.

    A package is in a line with one blank before it, below a heading like `Removing dependent packages:`. What it
    replaces follows, `replacing NAME.ARCH VERSION`, with dnf 5 `replacing NAME ARCH VERSION`, also for an upgrade.
    """
    found: list[str] = []
    heading, name = "", ""
    for line in output_lines(output):
        words = line.split()
        if line.endswith(":") and not line.startswith(" "):
            heading = line
        elif not words:
            heading = ""
        elif heading and words[0] == _REPLACING and len(words) > 2:
            replaced = (
                words[1].rpartition(".")[0] if len(words) == len(("replacing", "NAME.ARCH", "VERSION")) else words[1]
            )
            found += [replaced] if replaced != name else []
        elif heading and line.startswith(" ") and not line.startswith("  "):
            name = words[0]
            found += [name] if heading.startswith("Removing") else []
    return found
