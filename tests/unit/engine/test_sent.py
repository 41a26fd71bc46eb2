# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ccm.engine.sent import SentValues, sent_by
from ccm.model.errors import ResourceFailed
from ccm.model.event import Event
from ccm.model.resource import Resource, complete

from .lamp_type import LAMP


def test_a_resource_that_sends_nothing_now():
    with pytest.raises(ResourceFailed, match=r"^file#x sends no checksum, only nothing$"):
        SentValues("file#x", {})["checksum"]


def test_a_type_without_values_for_others():
    event = Event(LAMP.name, "x", "")
    event.resource = Resource(LAMP, LAMP.made(complete(LAMP, {"name": "x", "ensure": "on"})))
    with pytest.raises(ResourceFailed, match=r"#x sends nothing: resources of its type have no values for others$"):
        sent_by(event, None)
