# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a graph takes to be made and ordered, and how that grows: python -m tests.bench.graph"""

from __future__ import annotations

import time

from ccm.engine.graph.graph import REQUIRE, Edge, Graph

SIZES = (1_000, 10_000, 100_000)


def edges(shape, size):
    if shape == "chain":
        return [(at, at + 1) for at in range(size - 1)]
    return [(0, at) for at in range(1, size)]


def main():
    for shape in ("chain", "star"):
        for size in SIZES:
            pairs = edges(shape, size)
            start = time.perf_counter()
            order = Graph(size, [Edge(REQUIRE, first, then, "") for first, then in pairs]).order()
            taken = time.perf_counter() - start
            print(f"{shape} of {len(order):,}: {taken * 1000:.0f} ms, {taken / size * 1e6:.2f} us for each")


if __name__ == "__main__":
    main()
