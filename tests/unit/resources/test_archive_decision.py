# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The decision table of the archive type, row by row (behaviour.md 5, decisions.md Q57)."""

import pytest
from ccm.resources.archive.type import TYPE as ARCHIVE
from ccm.resources.archive.type import ArchiveState

from .states import seen

SUM = "a" * 64
OTHER = "b" * 64
NOTHING = ((), "")


def wanted(**given):
    values = {"name": "/d/a.tar", "ensure": "present", "url": "http://h/a.tar", "checksum": "", "extract_parent": ""}
    return ARCHIVE.made({**values, "cleanup": False, "creates": "", "owner": "root", "group": "root", **given})


def absent(creates=False):
    metadata = {"name": "/d/a.tar", **({"creates_exists": True} if creates else {}), "owner": "", "group": ""}
    return seen(ArchiveState, "/d/a.tar", "absent", metadata)


def there(checksum=SUM, creates=False, owner="root", group="root", ids=(0, 0, 0, 0), kind="file"):
    metadata = {"name": "/d/a.tar", "checksum": checksum, "archive_exists": True}
    metadata.update({"creates_exists": True} if creates else {}, owner=owner, group=group)
    owners = dict(zip(("uid", "gid", "wanted_uid", "wanted_gid"), ids, strict=True))
    return seen(ArchiveState, "/d/a.tar", "present", metadata, kind=kind, **owners)


FOREIGN = {"owner": "bin", "ids": (2, 0, 0, 0)}
UNPACKED = {"extract_parent": "/d", "creates": "/d/x"}
CLEANED = {**UNPACKED, "cleanup": True}
DOWNLOADED = "Would have downloaded"
EXTRACTED = "Would have downloaded. Would have extracted"

TABLE = [
    # state, wanted, (verbs, what noop says)
    (absent(), wanted(ensure="absent"), NOTHING),
    (there(), wanted(ensure="absent"), (("remove",), "Would have removed")),
    (there(), wanted(), NOTHING),
    (there(), wanted(checksum=SUM), NOTHING),
    (there(kind="directory"), wanted(), (("download",), DOWNLOADED)),
    (there(kind="other"), wanted(), (("download",), DOWNLOADED)),
    (there(kind="not unpacked"), wanted(checksum=SUM), (("download",), DOWNLOADED)),
    (there(kind="not unpacked"), wanted(checksum=SUM, extract_parent="/d"), (("fetch", "extract", "store"), EXTRACTED)),
    (there(kind="not unpacked"), wanted(ensure="absent"), (("remove",), "Would have removed")),
    (there(), wanted(checksum=SUM.upper()), NOTHING),
    (there(), wanted(extract_parent="/d"), NOTHING),
    (there(creates=True), wanted(**UNPACKED), NOTHING),
    (there(creates=True), wanted(**CLEANED), NOTHING),
    (absent(creates=True), wanted(**CLEANED), NOTHING),
    (there(owner="0", group="0"), wanted(), NOTHING),
    (absent(), wanted(), (("download",), DOWNLOADED)),
    (there(OTHER), wanted(checksum=SUM), (("download",), DOWNLOADED)),
    (there(**FOREIGN), wanted(), (("download",), DOWNLOADED)),
    (there(group="bin", ids=(0, 2, 0, 0)), wanted(), (("download",), DOWNLOADED)),
    (there(owner="bin", ids=(2, 0, None, 0)), wanted(owner="nobody-here"), (("download",), DOWNLOADED)),
    (absent(), wanted(extract_parent="/d"), (("fetch", "extract", "store"), EXTRACTED)),
    (absent(), wanted(**UNPACKED), (("fetch", "extract", "store"), EXTRACTED)),
    (absent(creates=True), wanted(**UNPACKED), (("fetch", "extract", "store"), EXTRACTED)),
    (there(), wanted(**UNPACKED), (("fetch", "extract", "store"), EXTRACTED)),
    (there(OTHER, creates=True), wanted(checksum=SUM, **UNPACKED), (("fetch", "extract", "store"), EXTRACTED)),
    (there(), wanted(checksum=SUM, **UNPACKED), (("extract",), "Would have extracted")),
    (absent(), wanted(**CLEANED), (("fetch", "extract", "clean_up"), EXTRACTED + ". Would have cleaned up")),
    (
        there(),
        wanted(checksum=SUM, **CLEANED),
        (("extract", "clean_up"), "Would have extracted. Would have cleaned up"),
    ),
    (there(**FOREIGN), wanted(checksum=SUM), (("set_owner",), "Would have updated attributes")),
    (
        there(**FOREIGN),
        wanted(checksum=SUM, **UNPACKED),
        (("extract", "set_owner"), "Would have extracted. Would have updated attributes"),
    ),
    (
        there(creates=True, **FOREIGN),
        wanted(checksum=SUM, **UNPACKED),
        (("set_owner",), "Would have updated attributes"),
    ),
    (there(creates=True, **FOREIGN), wanted(checksum=SUM, **CLEANED), (("clean_up",), "Would have cleaned up")),
]


@pytest.mark.parametrize(("state", "properties", "expected"), TABLE)
@pytest.mark.parametrize("refresh", [False, True])
def test_table(state, properties, expected, refresh):
    decision = ARCHIVE.decide(state, properties, refresh)
    assert (decision.verbs, decision.noop_message) == expected
    assert not decision.refreshed


@pytest.mark.parametrize(
    ("state", "properties", "reason"),
    [
        (there(), wanted(), ""),
        (there(), wanted(ensure="absent"), "absent: archive still exists (ensure=present)"),
        (absent(), wanted(), "present: archive file missing"),
        (absent(), wanted(**CLEANED), "present: creates path missing: /d/x"),
        (there(**FOREIGN), wanted(), "present: owner mismatch: state=bin requested=root"),
        (there(group="bin", ids=(0, 2, 0, 0)), wanted(), "present: group mismatch: state=bin requested=root"),
        (there(OTHER), wanted(checksum=SUM), f"present: checksum mismatch: state={OTHER} requested={SUM}"),
    ],
)
def test_reasons(state, properties, reason):
    assert ARCHIVE.shortfall(state, properties) == reason


@pytest.mark.parametrize(
    ("url", "usable"), [("http://h/a.tar", True), ("HTTPS://h/a.tar", True), ("ftp://h/a.tar", False)]
)
def test_only_web_servers_are_asked(url, usable):
    answer = ARCHIVE.provider("http").manageable({}, wanted(url=url))
    assert answer == 1 if usable else "ftp:" in answer
