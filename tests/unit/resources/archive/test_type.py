# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The archive type; its decisions are in cases/decisions.yaml."""

import pytest
from ccm.model.errors import InvalidResource
from ccm.resources.archive.facets import description
from ccm.resources.archive.type import TYPE as ARCHIVE


def wanted(**given):
    values = {"name": "/d/a.tar", "ensure": "present", "url": "http://h/a.tar", "checksum": "", "extract_parent": ""}
    return ARCHIVE.made({**values, "cleanup": False, "creates": "", "owner": "root", "group": "root", **given})


@pytest.mark.parametrize(
    ("url", "usable"), [("http://h/a.tar", True), ("HTTPS://h/a.tar", True), ("ftp://h/a.tar", False)]
)
def test_only_http_urls_are_accepted(url, usable):
    answer = ARCHIVE.provider("http").manageable({}, wanted(url=url))
    assert answer == 1 if usable else "ftp:" in answer


KINDS = [
    [".tar.gz", ".tgz", ".TGZ"],
    [".tar"],
    [".zip"],
    [".tar.xz", ".txz"],
    [".tar.bz2", ".tbz2"],
    [".tar.zst"],
]


@pytest.mark.parametrize("ends", KINDS)
def test_name_and_address_have_the_same_kind_of_archive(ends):
    for end in ends:
        ARCHIVE.validate(wanted(name=f"/d/a{end}", url=f"http://h/a{ends[0]}?of=b"))
    for other in KINDS:
        if other is not ends:
            with pytest.raises(InvalidResource, match=r"^url and name must have the same archive type: url is "):
                ARCHIVE.validate(wanted(name=f"/d/a{ends[0]}", url=f"http://h/a{other[0]}"))


@pytest.mark.parametrize("end", [".xz", ".tar.lz", ".7z", ".zst", "tar", ""])
def test_the_advice_for_another_end_of_a_name_lists_all(end):
    with pytest.raises(InvalidResource, match=r"^name must end in \.zip, \.tar\.gz, \.tgz, or \.tar$") as caught:
        ARCHIVE.validate(wanted(name=f"/d/a{end}"))
    listed = ".zip, .tar.gz, .tgz, .tar, .tar.xz, .txz, .tar.bz2, .tbz2, .tar.zst"
    assert caught.value.advice == f"an archive is of the kind that the end of its name says: {listed}"


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("http://h/a.tar.gz", ""),
        ("http://h/a.zip?b=c.txz", ""),
        ("http://h/a", ""),
        ("http://h/{{ x }}.txz", ""),
        (5, ""),
        ("http://h/a.txz?b", "the original takes no archives of the kind tar.xz"),
        ("http://h/a.tar.zst", "the original takes no archives of the kind tar.zst"),
    ],
)
def test_what_the_original_does_not_take(url, message):
    assert description().portability["url"](url) == message
