# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The archive type; its decisions are in cases/decisions.yaml."""

import pytest
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
