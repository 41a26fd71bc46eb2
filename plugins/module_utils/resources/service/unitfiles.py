# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The files that systemd makes units from, as they are on disk now, and what they say about enabling.

systemd 247 to 257 reports NeedDaemonReload=no when a new unit file replaces the loaded one, when a unit is masked or
unmasked by hand, and (before 257) when a unit gets its first drop-in. So that no service is restarted with old
settings, the loaded paths are compared with the paths that would be loaded.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator, Mapping, Sequence

    from .units import Unit

_PERSISTENT = "/etc/systemd/system"
# The search path of systemd: the first directory that has a file wins (systemd.unit(5)).
FOLDERS = (
    "/etc/systemd/system.control",
    "/run/systemd/system.control",
    "/run/systemd/transient",
    "/run/systemd/generator.early",
    _PERSISTENT,
    "/etc/systemd/system.attached",
    "/run/systemd/system",
    "/run/systemd/system.attached",
    "/run/systemd/generator",
    "/usr/local/lib/systemd/system",
    "/lib/systemd/system",
    "/usr/lib/systemd/system",
    "/run/systemd/generator.late",
)


_WANTS = (("WantedBy", "wants"), ("RequiredBy", "requires"))
_READING = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
_RUN = "/run/"
_LIB = "/lib/"
_MOST_AT_ONCE = 1 << 16


class UnitFiles:
    """The folders of unit files, each listed once, when this is made; `persistent` is the one for links of enabled."""

    def __init__(self, folders: Sequence[str] = (), persistent: str = _PERSISTENT) -> None:
        self._is_merged = not folders and _has_merged_usr()
        paths = folders or [path for path in FOLDERS if not (self._is_merged and path.startswith(_LIB))]
        self._folders = [(folder, _names_in(folder)) for folder in paths]
        self._persistent = persistent
        self._texts: dict[str, bytes | None] = {}
        self._through_links: set[str] = set()
        self._wanted: dict[str, list[str]] | None = None

    def outdated(self, unit: Unit) -> bool:
        """Return whether systemd has loaded another file of a unit, or other drop-ins, than are on disk."""
        if unit.load not in ("loaded", "masked"):
            return False
        found = self.first(unit.id)
        if found and not self._is_same(found, unit.fragment):
            return True
        return unit.load == "loaded" and self._drop_ins(unit) != self._unmasked(unit.drop_ins)

    def install_of(self, unit: Unit) -> Mapping[str, Sequence[str]]:
        """Return the words of the settings of [Install], first of the unit file, then of its drop-ins.

        An empty value removes the words before it. It is empty for a unit that is asked for by an alias.
        """
        found: dict[str, Sequence[str]] = {}
        if unit.load != "loaded" or unit.name != unit.id or unit.source:
            return found
        text = self._text(unit.fragment)
        if text:
            for each in (text, *map(self._text, unit.drop_ins)):
                for key, value in entries(each or b"", b"[Install]"):
                    found[key] = [*found.get(key, ()), *value.split()] if value else ()
        return found

    def surely_enabled(self, unit: Unit, has_link: bool) -> bool:
        """Return whether a unit that is not `outdated` is surely enabled; False when this is not known.

        It has its own file and a link in a directory `.wants` or `.requires`; `has_link` is whether that was found
        already. Every version of systemd calls that enabled, and a query would take fifty times as long.
        """
        if unit.load != "loaded" or unit.name != unit.id or unit.source or unit.fragment.startswith(_RUN):
            return False
        if unit.fragment in self._through_links or not self._text(unit.fragment):
            return False
        if unit.fragment.rpartition("/")[2] not in _own_names(unit.id):
            return False
        return has_link or self._is_wanted(unit)

    def missing_links(self, unit: Unit, links: Sequence[str]) -> tuple[list[str], bool]:
        """Return the paths of the `links` that are not there, and whether one makes the unit enabled.

        A link of the vendor's is there, but makes nothing enabled. An alias that is another unit's is left alone.
        """
        names = (*_own_names(unit.id), unit.fragment.rpartition("/")[2])
        missing, has_link = [], False
        for link in links:
            path = f"{self._persistent}/{link}"
            is_wanting = "/" in link
            if _target(path) in names:
                has_link = has_link or is_wanting
            elif not is_wanting and os.path.lexists(path):
                continue
            elif not any(_target(f"{folder}/{link}") in names for folder in self._others_with(link.partition("/")[0])):
                missing.append(path)
        return missing, has_link

    def _others_with(self, name: str) -> list[str]:
        """Return the other lasting folders that have a name."""
        others = (entry for entry in self._folders if entry[0] != self._persistent and not entry[0].startswith(_RUN))
        return [folder for folder, names in others if name in names]

    def _is_wanted(self, unit: Unit) -> bool:
        """Return whether a link in any directory `.wants` or `.requires` makes something want a unit."""
        if self._wanted is None:
            self._wanted = {}
            for directory in self._directories_of_wants():
                for link in _names_in(directory):
                    self._wanted.setdefault(link, []).append(directory)
        names = _own_names(unit.id)
        return any(_target(f"{directory}/{unit.id}") in names for directory in self._wanted.get(unit.id, ()))

    def _directories_of_wants(self) -> Iterator[str]:
        for folder, names in self._folders:
            if folder == self._persistent:
                yield from (f"{folder}/{name}" for name in names if name.endswith((".wants", ".requires")))

    def first(self, id: str) -> str:
        """Return the file of a unit, "" when there is none; for an instance it can be the file of its template."""
        for name in _own_names(id):
            for folder, names in self._folders:
                if name in names:
                    return f"{folder}/{name}"
        return ""

    def own_name(self, name: str) -> str:
        """Return the name of the unit that a name is an alias of, by its link; the name itself for another.

        systemd 247 does not follow the alias of a masked unit.
        """
        target = _target(self.first(name)) if "@" not in name else ""
        return target if target.endswith(name[name.rfind(".") :]) else name

    def _drop_ins(self, unit: Unit) -> set[str]:
        directories = {f"{stem}.d" for name in unit.names for stem in _stems(name)}
        paths = []
        for folder, names in self._folders:
            for name in directories & names:
                inside = f"{folder}/{name}"
                paths += [f"{inside}/{file}" for file in _names_in(inside) if file.endswith(".conf")]
        return self._unmasked(paths)

    def _unmasked(self, paths: Sequence[str]) -> set[str]:
        """Return the names of drop-ins without names that are masked in any directory.

        Some versions of systemd list masked drop-ins, others do not.
        """
        masked = {os.path.basename(path) for path in paths if self._text(path) == b""}
        return {os.path.basename(path) for path in paths} - masked

    def _text(self, path: str) -> bytes | None:
        """Return the content of a file, empty for a file that masks others; None when it cannot be read."""
        if path not in self._texts:
            text = _content(path, os.O_NOFOLLOW)
            if text is None and os.path.islink(path):
                self._through_links.add(path)
                text = _content(path)
            self._texts[path] = text
        return self._texts[path]

    def _is_same(self, path: str, loaded: str) -> bool:
        if path == loaded or (self._is_merged and path == f"/usr{loaded}"):
            return True
        try:
            return os.path.samefile(path, loaded)
        except OSError:
            return False


def entries(text: bytes, section: bytes) -> Iterator[tuple[str, str]]:
    """Yield the settings of a section, `[Install]` for example, in the order of a unit file, with their values."""
    begin = text.find(section)
    if begin < 0:
        return
    inside, joined = False, ""
    for line in text[text.rfind(b"\n", 0, begin) + 1 :].decode("utf-8", "surrogateescape").split("\n"):
        line = line.strip()
        if not line or line[0] in "#;":
            continue
        if line[-1] == "\\":
            joined += line[:-1] + " "
            continue
        if joined:
            line, joined = joined + line, ""
        if line[0] == "[":
            inside = line == section.decode()
        elif inside:
            key, equals, value = line.partition("=")
            if equals:
                yield key.rstrip(), value.lstrip()


def install_links(unit: Unit, install: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the links that [Install] of a unit names, relative to their folder.

    Left out are words with specifiers (`%i`), and of an instance the names for all its template.
    """
    links = []
    for key, directory in _WANTS:
        for name in install.get(key, ()):
            if "%" not in name and "." in name:
                links.append(f"{name}.{directory}/{unit.id}")
    for alias in install.get("Alias", ()):
        is_of_kind = alias.rpartition(".")[2] == unit.id.rpartition(".")[2]
        if alias != unit.id and is_of_kind and "%" not in alias and "@" not in alias + unit.id:
            links.append(alias)
    return links


def _has_merged_usr() -> bool:
    """Return whether /lib is /usr/lib, whose units are then read only once."""
    try:
        return os.readlink("/lib") in ("usr/lib", "/usr/lib")
    except OSError:
        return False


def _own_names(id: str) -> tuple[str, ...]:
    """Return the names that the file of a unit may have: for an instance also the name of its template."""
    if "@" not in id:
        return (id,)
    prefix, _at, rest = id.partition("@")
    return id, f"{prefix}@.{rest.rpartition('.')[2]}"


def _stems(name: str) -> list[str]:
    """Return the names whose drop-ins a unit takes: `a-b.service`, `a-.service` and `service` for `a-b.service`."""
    prefix, _dot, kind = name.rpartition(".")
    stems = [name, kind]
    base, at, _instance = prefix.partition("@")
    if at:
        stems.append(f"{base}@.{kind}")
    cut = base.rstrip("-").rpartition("-")[0]
    while cut:
        stems.append(f"{cut}-.{kind}")
        cut = cut.rpartition("-")[0]
    return stems


def _content(path: str, flags: int = 0) -> bytes | None:
    try:
        file = os.open(path, _READING | flags)
    except OSError:
        return None
    try:
        text = piece = os.read(file, _MOST_AT_ONCE)
        while len(piece) == _MOST_AT_ONCE:
            piece = os.read(file, _MOST_AT_ONCE)
            text += piece
        return text
    except OSError:
        return None
    finally:
        os.close(file)


def _target(path: str) -> str:
    """Return the name that a link leads to, "" for a path that is no link."""
    try:
        return os.readlink(path).rpartition("/")[2]
    except OSError:
        return ""


def _names_in(folder: str) -> set[str]:
    try:
        return set(os.listdir(folder))
    except OSError:
        return set()
