# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A sink that keeps the events of a run."""

from __future__ import annotations

from ccm.engine.sink import Sink


class Recorder(Sink):
    """`events` has the events in their order; `on_decision` is called with resource, provider and state."""

    def __init__(self, on_decision=None):
        self.events = []
        self._on_decision = on_decision

    def decided(self, found):
        if self._on_decision:
            self._on_decision(found.resource, found.provider, found.state)

    def finished(self, event):
        self.events.append(event)
