# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`ccm` whose manifests run in graph order, along a chain in the order of their lists, one resource at a time.

It is for the recorded cases, which must give the same events, log lines and host: python graph_ccm.py WORDS... After
`fail_on_error` the rest has no events, as in the order of the list.
"""

from __future__ import annotations

import sys

from ccm.cli.main import main
from ccm.engine.graph.graph import REQUIRE, Edge, Graph
from ccm.engine.notifying import Notifying
from ccm.engine.run import Run
from ccm.manifest.manifest import Manifest
from ccm.manifest.ordering import Schedule


def chained(resources):
    """The schedule that keeps the order of a list, and knows no semaphores."""
    edges = [Edge(REQUIRE, at - 1, at, "it comes before it in the list") for at in range(1, len(resources))]
    return Schedule(Graph(len(resources), edges), 1, [[] for _resource in resources], {}, [], {})


class InGraphOrder(Manifest):
    """A manifest of the command that always has a schedule."""

    def __init__(self, **given):
        super().__init__(**given)
        self.notifying = self.notifying or Notifying({})
        self.schedule = self.schedule or chained(self.resources)


if __name__ == "__main__":
    from ccm.manifest import loader

    loader.Manifest = InGraphOrder
    Run.skip_rest = lambda run: []
    sys.exit(main())
