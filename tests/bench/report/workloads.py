# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The workloads that any machine can run: what is to be there, and the parts of the work that are measured alone."""

from __future__ import annotations

import pathlib
import typing

from ..__main__ import files, scaffold
from .items import Archive, Command, Copy, File, Folder, Item, Template

PHASES = ("first", "converged", "noop")
#: The size of the file that is copied, and of the data of a manifest.
MIB = 64
DATA_BYTES = 10_000_000


class Place(typing.NamedTuple):
    """Where a workload runs: the folder that a program fills, and what all programs share."""

    target: pathlib.Path
    shared: pathlib.Path
    url: str
    checksum: str

    def below(self, name):
        """The place of another workload, in a folder of its own."""
        folder = self.target / name
        folder.mkdir()
        return self._replace(target=folder)


class Part(typing.NamedTuple):
    """A part of the work, alone: its name, the arguments of bare.py or an argv, and what it does not count.

    {target}, {shared} and {own} in the words are folders: of ccm.core, of all, and of the part alone, new each time.
    """

    name: str
    bare: tuple[str, ...] = ()
    argv: tuple[str, ...] = ()


class Workload(typing.NamedTuple):
    subject: str
    title: str
    count: int
    items: typing.Callable[[int, Place], list[Item]]
    #: How many files there are at the end.
    made: int
    #: Parts by phase.
    parts: dict[str, tuple[Part, ...]]
    #: A manifest for ccm, where it has a word of its own for the items.
    manifest: typing.Callable[[int, Place], str] | None = None
    #: The programs that read what only `manifest` has.
    only_ccm: bool = False


def plain(count, place):
    return [File(f"{place.target}/f{number:04}", "hello") for number in range(count)]


def tree(count, place):
    """Of ten items one is a folder, eight are files in it, and one is a copy."""
    found: list[Item] = []
    for number in range(count // 10):
        folder = f"{place.target}/d{number:03}"
        found.append(Folder(folder))
        found += [File(f"{folder}/f{each}", f"{number} {each} " + "text " * 40) for each in range(8)]
        found.append(Copy(f"{folder}/copy", f"{place.shared}/small"))
    return found


def guarded(count, place):
    names = (f"{place.target}/c{number:04}" for number in range(count))
    return [Command(f"touch {name}", name) for name in names]


def templates(count, place):
    return [Template(f"{place.target}/t{number:04}", number) for number in range(count)]


def template_manifest(count, place):
    return scaffold(count, place.target, "jet")


def source(_count, place):
    return [Copy(f"{place.target}/copy", f"{place.shared}/large")]


def archive(_count, place):
    first = f"{place.target}/out/parts/part00000.bin"
    return [Archive(f"{place.target}/a.tar.gz", place.url, place.checksum, f"{place.target}/out", first)]


def data_manifest(_count, place):
    """One file with a value out of many."""
    line = "x" * 80
    data = "".join(f'  key{number:06}: "{line}"\n' for number in range(DATA_BYTES // 95))
    text = files(1, place.target, "port {{ Data.key000001 }}")
    return "data:\n" + data + text.partition("\n")[2]


READ = (Part("the calls for the files", ("read", "{target}")),)


def written(count, size):
    return (Part("the calls for the files", ("write", "{own}/new", str(count), str(size))),)


def phases(first, later):
    return {"first": first, "converged": later, "noop": later}


def of_files(count):
    return Workload("Files", f"{count:,} file{'s' * (count > 1)}", count, plain, count, phases(written(count, 5), READ))


def of_tree(count):
    title = f"mixed tree of {count:,} folders, files and copies"
    made = count * 9 // 10
    return Workload("Trees, commands and templates", title, count, tree, made, phases(written(made, 200), READ))


def of_templates(count):
    parts = phases(written(count, 50), READ)
    title = f"{count:,} templates"
    subject = "Trees, commands and templates"
    return Workload(subject, title, count, templates, count, parts, manifest=template_manifest)


SPAWN = (Part("the commands alone", ("spawn", "{own}/new", "100")),)
COPY = Part("copying within the kernel", ("copy", "{shared}/large", "{own}/new"))
HASH = Part("SHA-256 of the source", ("hash", "{shared}/large"))
HASH_BOTH = Part("SHA-256 of source and copy", ("hash", "{shared}/large", "{target}/copy"))
UNPACK = Part("tar alone", argv=("tar", "-xzf", "{shared}/www/parts.tar.gz", "-C", "{own}"))
HASH_ARCHIVE = Part("SHA-256 of the archive", ("hash", "{shared}/www/parts.tar.gz"))

LARGE = "Large inputs"
WORKLOADS = (
    *map(of_files, (1, 10, 100, 1000, 10_000)),
    *map(of_tree, (100, 1000)),
    Workload("Trees, commands and templates", "100 guarded commands", 100, guarded, 100, phases(SPAWN, READ)),
    *map(of_templates, (100, 1000)),
    Workload(LARGE, f"{MIB} MB source", 1, source, 1, phases((COPY, HASH), (HASH_BOTH,))),
    Workload(
        LARGE,
        "archive of 10,000 entries",
        10_000,
        archive,
        10_000,
        phases((UNPACK, HASH_ARCHIVE), (HASH_ARCHIVE,)),
    ),
    Workload(LARGE, "10 MB of data", 1, plain, 1, phases((), ()), manifest=data_manifest, only_ccm=True),
)
