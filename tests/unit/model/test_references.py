# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""References of `subscribe`."""

from __future__ import annotations

import pytest
from ccm.model.errors import InvalidResource
from ccm.model.references import require_references


def test_references_of_the_right_form():
    require_references(["file#/etc/motd", "exec#a b", "#"])
    require_references([])


@pytest.mark.parametrize("wrong", ["", "file", "file#a#b"])
def test_a_wrong_reference_is_named(wrong):
    with pytest.raises(InvalidResource) as refused:
        require_references(["file#/a", wrong, "none"])
    error = refused.value
    assert (error.message, error.property, error.value) == (f"invalid subscribe format {wrong}", "subscribe", wrong)
    assert error.advice == f"write TYPE#NAME in place of {wrong or 'an empty text'}"
    assert error.path == ("subscribe", 1)


@pytest.mark.parametrize("type", ["exec", "service"])
def test_a_manifest_with_one_is_refused_with_its_place(ccm, tmp_path, type):
    resource = f"    - {type}:\n        name: /a\n        subscribe: [file]\n"
    (tmp_path / "m.yaml").write_text(f"ccm:\n  resources:\n{resource}")
    ran = ccm("apply", "--noop", "m.yaml")
    assert ran.status == 1
    assert "m.yaml:5:" in ran.err
    assert "subscribe" in ran.err
