# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The task that returns facts."""

from __future__ import annotations

import os

from ccm.ansible_tasks.facts_info import FACTS_OPTIONS, run_facts_info

from .module import ran


def test_the_facts_are_those_of_the_node():
    facts = ran(run_facts_info, FACTS_OPTIONS, {})["facts"]
    assert facts["host"]["info"]["hostname"] == os.uname().nodename


def test_given_facts_are_merged_over_them():
    facts = ran(run_facts_info, FACTS_OPTIONS, {"facts": {"role": "web", "host": {"info": {"hostname": "other"}}}})[
        "facts"
    ]
    assert (facts["role"], facts["host"]["info"]["hostname"]) == ("web", "other")
    assert facts["host"]["info"]["os"] == "linux"
