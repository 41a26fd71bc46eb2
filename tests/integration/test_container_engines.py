# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The scenarios of molecule in containers of docker and podman, as docs/test-hosts.md starts them."""

from __future__ import annotations

import pytest

from tests.blocks import blocks, pages_with
from tests.patience import LIMIT
from tests.readers import own_clone, reader
from tests.scripts import commands_of

from ..conftest import NEEDS

__all__ = ["own_clone", "reader"]  # fixtures


@pytest.mark.takes_long
@pytest.mark.timeout(12 * LIMIT)
@pytest.mark.parametrize("engine", ["docker", "podman"])
def test_commands_with_a_container_engine(engine, request, ran):
    [page] = pages_with(f"sh {engine}")
    missing = NEEDS[engine]()
    if missing:
        ran(*(block for block in blocks(page) if block.words == ("sh", engine)))
        pytest.skip(f"needs {engine}: {missing}")
    script, found = commands_of(page, {f"sh {engine}": request.getfixturevalue("own_clone")})
    request.getfixturevalue("reader").run(script)
    ran(*found)
