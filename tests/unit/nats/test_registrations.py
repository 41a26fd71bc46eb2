# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The subjects of registration entries, as the original makes them: two programs name the same entry alike."""

from __future__ import annotations

import pytest
from ccm.nats.registrations import subject_of


@pytest.mark.parametrize(
    ("cluster", "protocol", "service", "address", "port", "subject"),
    [
        ("c1", "pg", "db", "10.0.0.2", 5432, "c1.pg.db.10_0_0_2.61b49e64c20c60ab"),
        # The hash begins with a zero.
        ("c1", "http", "web", "10.0.0.1", 80, "c1.http.web.10_0_0_1.0c67abd8d6ace1c5"),
    ],
)
def test_subjects(cluster, protocol, service, address, port, subject):
    entry = {
        "cluster": cluster,
        "service": service,
        "protocol": protocol,
        "address": address,
        "port": port,
        "priority": 1,
        "ttl": None,
        "annotations": {},
    }
    assert subject_of(entry) == f"choria.ccm.registration.v1.{subject}"
