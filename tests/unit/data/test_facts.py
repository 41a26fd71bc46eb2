# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts of the machine are gathered once."""

from __future__ import annotations

import threading

from ccm.data import factfiles
from ccm.data.facts import facts_of_machine
from ccm.model.log import Log

from tests.patience import wait_until


def test_facts_are_gathered_once_for_all_threads(monkeypatch):
    gathered, asking = [], []

    def gather(*_arguments, **_options):
        gathered.append(wait_until(lambda: len(asking) == 4))
        return {}

    def ask():
        asking.append(True)
        facts()

    monkeypatch.setattr(factfiles, "gather", gather)
    facts = facts_of_machine(Log())
    threads = [threading.Thread(target=ask) for _count in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(gathered) == 1
