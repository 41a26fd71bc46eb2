# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""From the text of a manifest to its document: faults have a place, and show no secrets."""

from __future__ import annotations

import pytest
from ccm.manifest.loader import Inputs
from ccm.manifest.reader import parse_manifest, read_document, read_manifest
from ccm.model.errors import CCMError, ManifestError, Position


def test_a_manifest_is_parsed_resolved_and_validated():
    text = b"data: {n: ls}\nccm: {pre_message: hello, resources: [{exec: [{'{{ Data.n }}': {}}]}]}\n"
    manifest = read_manifest(text, "m.yaml", "/site", Inputs(facts={}, environ={}))
    assert [each.reference for each in manifest.resources] == ["exec#ls"]
    assert (manifest.source, manifest.directory, manifest.pre_message) == ("m.yaml", "/site", "hello")
    assert str(manifest.resources[0].position) == "m.yaml:2:48"


def test_a_fault_in_a_manifest_is_shown_with_its_line():
    with pytest.raises(CCMError) as refused:
        read_manifest(b"ccm:\n  resources:\n    - exec: {nme: ls}\n", "m.yaml", "", Inputs(facts={}, environ={}))
    error = refused.value
    assert error.position == Position("m.yaml", 3, 14)
    assert error.excerpt == "3 |     - exec: {nme: ls}\n  |              ^"


@pytest.mark.parametrize(
    ("text", "place", "shown"),
    [
        (b"a: [1\nb: 2\n", Position("m.yaml", 1, 4), "a: [1"),
        (b'ccm:\n  password: "canary\\q"\n', Position("m.yaml", 2, 21), None),
    ],
)
def test_what_is_not_yaml_is_refused_with_its_place(text, place, shown):
    with pytest.raises(ManifestError, match=r"^m\.yaml is not YAML: ") as refused:
        parse_manifest(text, "m.yaml")
    assert refused.value.position == place
    assert "canary" not in refused.value.message + refused.value.excerpt
    assert shown is None or shown in refused.value.excerpt


def test_a_document_comes_with_what_its_file_was(tmp_path):
    path = tmp_path / "m.yaml"
    path.write_text("a: 1\n")
    document, found = read_document(str(path), "shown.yaml")
    assert (document.value, document.name) == ({"a": 1}, "shown.yaml")
    assert (found.st_ino, found.st_size) == (path.stat().st_ino, 5)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ManifestError, match=r"none\.yaml: no such file or directory$"):
        read_document(str(tmp_path / "none.yaml"), "shown.yaml")
