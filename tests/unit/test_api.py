# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The public contract with types of other packages changes only together with the changelog."""

from __future__ import annotations

import ast
import hashlib
import inspect
import re

import yaml
from ccm import api
from ccm.cli import api_listing as listing
from ccm.cli.api_listing import api_listing

from .layout import ROOT

RECORD = ROOT / "changelogs/api.yml"


def described(name):
    """Return the lines that describe a public name: its signature, and the signatures of its public methods."""
    value = getattr(api, name)
    if not inspect.isclass(value):
        yield f"{name}{inspect.signature(value)}" if callable(value) else f"{name} = {type(value).__name__}"
        return
    yield f"class {name}({', '.join(base.__name__ for base in value.__bases__)})"
    for attribute, found in sorted(vars(value).items()):
        if attribute == "__init__" or not attribute.startswith("_"):
            shown = str(inspect.signature(found)) if inspect.isfunction(found) else f": {type(found).__name__}"
            yield f"  {attribute}{shown}"


def test_the_contract_changes_only_with_the_changelog():
    """For an addition, record the new digest with its fragment; for another change raise CONTRACT too."""
    text = "\n".join(line for name in sorted(api.__all__) for line in described(name))
    digest = hashlib.sha256(text.encode()).hexdigest()
    record = yaml.safe_load(RECORD.read_text(encoding="utf-8"))
    assert record["contract"] == api.CONTRACT
    assert record["digest"] == digest, f"ccm.api is now:\n{text}\n\nrecord the digest {digest} in {RECORD}"
    fragments = [ROOT / "changelogs/fragments" / record["fragment"], ROOT / "changelogs/changelog.yaml"]
    assert any(path.exists() and "ccm.api" in path.read_text(encoding="utf-8") for path in fragments)


def test_the_guide_has_the_signatures_of_the_code():
    """Copy the output of `ccm types --api` into the last chapter of the guide."""
    guide = (ROOT / "docs/writing-a-type.md").read_text(encoding="utf-8")
    assert guide.partition("## Signatures")[2].partition("```text\n")[2] == f"{api_listing()}```\n"


def test_the_listing_does_not_use_the_ends_of_arguments(monkeypatch):
    """Python 3.8 has ends that leave the annotation out."""

    def parse(source):
        tree = ast.parse(source)
        for node in ast.walk(tree):
            if isinstance(node, ast.arg):
                node.end_lineno, node.end_col_offset = node.lineno, node.col_offset + len(node.arg)
        return tree

    listed = api_listing()
    monkeypatch.setattr(listing, "ast", type("ast", (), {**vars(ast), "parse": staticmethod(parse)}))
    assert api_listing() == listed


def test_the_listing_has_all_names_and_methods(ccm):
    ran = ccm("types", "--api")
    assert ran.status == 0
    lines = ran.out.splitlines()
    heads = (line for line in lines if line[0] != " ")
    found = [re.split(r"[(:]", head.removeprefix("class ").removeprefix("def "))[0] for head in heads]
    assert sorted(found) == sorted(api.__all__)
    assert (
        "def set_attributes(path: str, *, mode: int, uid: int | None = None, gid: int | None = None) -> None" in lines
    )
    assert "    @classmethod def manageable(cls, facts: Callable[[], Facts], properties: P) -> int | str" in lines
    assert "when: str = 'eager'" in ran.out
    classes = [value for value in map(vars(api).get, api.__all__) if inspect.isclass(value)]
    public = {name for value in classes for name in vars(value) if not name.startswith("_")}
    lead = r"^    (?:@classmethod )?(?:def )?"
    assert [name for name in public if not re.search(rf"{lead}{name}\b", ran.out, re.MULTILINE)] == []


def test_all_public_names_exist():
    assert [name for name in api.__all__ if not hasattr(api, name)] == []
    assert len(set(api.__all__)) == len(api.__all__)
