# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The connection plugin ccm.core.nspawn where there is no container; tests/hosts use it in hosts."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("holds", [None, "web", str(2**22 + 1)])
def test_a_container_that_does_not_run_is_unreachable(ansible, tmp_path, holds):
    leader = tmp_path / "leader"
    if holds is not None:
        leader.write_text(holds, "ascii")
    where = ["-e", "ansible_connection=ccm.core.nspawn", "-e", f"ansible_nspawn_leader={leader}"]
    run = ansible.ad_hoc("ansible.builtin.ping", "", *where)
    assert run.returncode == 4
    assert f"the container of {leader} is not booted: " in run.output
