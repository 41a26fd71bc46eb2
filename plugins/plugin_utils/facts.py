# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Facts that a play passes to expressions on the controller. PRIVATE to the collection."""

from __future__ import annotations

from ..module_utils.ansible_tasks.result import plain
from ..module_utils.host.facts.fields import FieldNamed, go_names


class _Named(FieldNamed):
    """A map whose values have Go's names too, by its own keys."""

    def __init__(self, values):
        super().__init__(values)
        self.GO_NAMES = go_names(*values)


def manifest_facts(facts):
    """Return the facts as manifests see them: values have the names of the original's fields too."""
    return {name: _named(value) for name, value in plain(facts or {}).items()}


def _named(value):
    if isinstance(value, dict):
        return _Named({name: _named(entry) for name, entry in value.items()})
    return [_named(entry) for entry in value] if isinstance(value, list) else value
