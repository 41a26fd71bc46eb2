# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys that the page of decisions names are declared, and it announces nothing that exists already."""

from __future__ import annotations

import re

from ccm.manifest.engine_settings import ENGINE
from ccm.resources.types import TYPE_NAMES, resource_type

from .layout import ROOT

PAGE = (ROOT / "docs/design/decisions.md").read_text(encoding="utf-8")
# `meta.retry`, `engine.order` and `ccm.engine.order`.
NAMED = re.compile(r"`(?:ccm\.)?(meta|engine)\.(\w+)[^`]*`")
LATER = re.compile(r"\breserved\b|\bis refused\b|\b[Nn]ot yet\b|\bdoes not have yet\b|\bis ignored\b")
SUBJECT = re.compile(r"`(?:ccm\.)?(?:meta|engine)\b|\bstate between runs\b|\bkept between runs\b")


def declared():
    """Return the keys of `meta` and `engine` that are declared."""
    metas = [prop for name in TYPE_NAMES for prop in resource_type(name).properties if prop.name == "meta"]
    return {
        "meta": {field.name for prop in metas for field in prop.fields},
        "engine": {field.name for field in ENGINE.fields},
    }


def sentences(text):
    """Return the sentences of a page; cells of tables are sentences too."""
    return re.split(r"(?<=[.;])\s|\s\|\s|\n\n", text)


def unknown(text):
    return sorted({f"{owner}.{key}" for owner, key in NAMED.findall(text) if key not in declared()[owner]})


def announced(text):
    return [each for each in sentences(text) if LATER.search(each) and SUBJECT.search(each)]


def test_keys_that_decisions_name_are_declared():
    assert {owner for owner, _key in NAMED.findall(PAGE)} == {"meta", "engine"}
    assert unknown(PAGE) == []


def test_no_decision_announces_what_exists_already():
    assert announced(PAGE) == []


def test_wrong_sentences_are_found():
    assert unknown("(`meta.retry`, `meta.tries`, `ccm.engine.order`, `engine.sort`)") == ["engine.sort", "meta.tries"]
    assert announced("`meta:` of a resource (reserved: its content is refused), `ccm.engine:`")
    assert announced("Q77 to Q79 are reserved for state that is kept between runs, which ccm.core does not have yet.")
    assert announced("Not yet: state between runs (Q77), which will be the only exception.")
    assert not announced("The engine has `meta.retry`. A word is reserved.")
