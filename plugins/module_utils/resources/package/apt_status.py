# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""dpkg's own file of all packages, read for what a query of dpkg would cost a process (decisions.md Q96, Q97)."""

from __future__ import annotations

from ...host.results import decode
from .type import HOLD, NONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator

    from .type import PackageState

STATUS = "/var/lib/dpkg/status"
_PROVIDES = b"\nProvides: "
_INSTALLED = " ok installed"
_HELD = b"\nStatus: hold "


class StatusFile:
    """The file as of the last `load`."""

    def __init__(self) -> None:
        self._text = b""
        self._key: object = None
        self._provides: list[tuple[bytes, int]] | None = None
        self._all_provides = b""

    def load(self, key: object) -> None:
        """Read the file again when `key` is another one than before."""
        if key != self._key:
            self._text, self._key, self._provides = _read(), key, None

    def providing(self, name: str) -> list[str]:
        """Return the names of the installed packages that provide a name, `name` or `name:arch`."""
        if self._provides is None:
            self._provides = list(_lines(self._text, _PROVIDES))
            self._all_provides = b"\n".join(line for line, _at in self._provides)
        own, _colon, arch = name.partition(":")
        if own.encode() not in self._all_provides:
            return []
        found = set()
        for line, at in self._provides:
            if own.encode() in line and own in _names(decode(line)):
                fields = _paragraph(self._text, at)
                meant = {"", "any", "native", "all", fields.get("Architecture", "")}
                if fields.get("Status", "").endswith(_INSTALLED) and (
                    arch in meant or fields.get("Architecture") == "all"
                ):
                    found.add(fields["Package"])
        return sorted(found)

    def mark(self, state: PackageState) -> str:
        """Return the mark of the package of a state."""
        return HOLD if self.holds(*name_and_arch(state)) else NONE

    def holds(self, name: str, arch: str) -> bool:
        """Return whether dpkg holds a package; `arch` is "" for a package that is not installed."""
        for _line, at in _lines(self._text, _HELD):
            fields = _paragraph(self._text, at)
            if fields.get("Package") == name and fields.get("Architecture", "") in (arch, ""):
                return True
        return False


def name_and_arch(state: PackageState) -> tuple[str, str]:
    """Return the package of a state, and its architecture; "" when it is not installed."""
    metadata = state.metadata
    return (metadata["name"], metadata["arch"]) if "arch" in metadata else (state.package.partition(":")[0], "")


def is_for_all(name: str) -> bool:
    """Return whether dpkg knows a package of a name for all architectures."""
    text = b"\n" + _read()
    return any(
        _paragraph(text, at).get("Architecture") == "all" for at in _places(text, f"\nPackage: {name}\n".encode())
    )


def _read() -> bytes:
    try:
        with open(STATUS, "rb") as file:
            return file.read()
    except OSError:
        return b""


def _places(text: bytes, wanted: bytes) -> Iterator[int]:
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1)


def _lines(text: bytes, begin: bytes) -> Iterator[tuple[bytes, int]]:
    """Yield the rest of each line that begins so, and its place."""
    for at in _places(text, begin):
        yield text[at + len(begin) : text.find(b"\n", at + 1)], at


def _names(field: str) -> set[str]:
    """Return the names in a field, without versions and architectures."""
    return {part.split("(")[0].strip().partition(":")[0] for part in field.split(",")}


def _paragraph(text: bytes, at: int) -> dict[str, str]:
    """Return the fields of the paragraph at a place, each with its first line."""
    start, end = text.rfind(b"\n\n", 0, at + 1), text.find(b"\n\n", at + 1)
    paragraph = decode(text[max(start, 0) : end if end >= 0 else len(text)])
    return dict(line.partition(": ")[::2] for line in paragraph.splitlines() if line[:1] not in ("", " "))
