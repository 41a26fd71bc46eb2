# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import pytest

from tests.unit.watching import Watching


@pytest.fixture
def watching(tmp_path, me):
    """`ccm watch` for a manifest in a scratch directory."""
    return Watching(tmp_path, me)
