# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Collections with resource types, packed for a node."""

from __future__ import annotations

import pytest
from ansible.errors import AnsibleActionFail

from plugins.plugin_utils import collections


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("acme", "types: 'acme' is not the name of a collection, like acme.web"),
        (1, "types: 1 is not the name of a collection, like acme.web"),
        ("acme.nosuch", "types: the collection acme.nosuch is not installed on the controller"),
        ("acme.empty", "types: the collection acme.empty has no types in plugins/module_utils/resource_types"),
    ],
)
def test_a_collection_without_types_is_refused(monkeypatch, tmp_path, name, message):
    def path_of(name):
        if name == "acme.empty":
            return str(tmp_path)
        raise ValueError(name)

    monkeypatch.setattr(collections, "_get_collection_path", path_of)
    with pytest.raises(AnsibleActionFail, match=message.replace("[", "\\[")):
        collections.packed_collection(name)
