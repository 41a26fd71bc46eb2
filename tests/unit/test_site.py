# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The site of the documentation: what its build makes of Markdown, and which faults of pages it finds."""

from __future__ import annotations

import re

import pytest
from ccm.cli.reference import META_KEY, PROPERTY, Entry, entries

from tests.site import markdown, reference
from tests.site.build import INDEX, accessible
from tests.site.check import Site
from tests.site.layout import pages_of_the_repository

from .layout import ROOT

PLACES = {
    "docs/a.md": "a.md",
    "docs/design/b.md": "design/b.md",
    "README.md": "readme.md",
    "roles/x/README.md": "roles/x.md",
}


def test_links_lead_to_where_pages_are():
    text = "[a](a.md#x) [`r`](../README.md)\n`[c](a.md)` ``[d]: `](53``\n\n[web](https://e.org/a.md) [me](#here)\n"
    assert list(markdown.targets(text, "docs/a.md")) == ["docs/a.md", "README.md"]
    assert markdown.with_links(text, "docs/a.md", PLACES) == text.replace("../README.md", "readme.md")
    text = "```text\n[x](../a.md)\n```\n[b](../a.md), [r](../../roles/x/README.md)\n\n[ref]: ../../README.md\n"
    wanted = "```text\n[x](../a.md)\n```\n[b](../a.md), [r](../roles/x.md)\n\n[ref]: ../readme.md\n"
    assert markdown.with_links(text, "docs/design/b.md", PLACES) == wanted


def test_blocks_have_the_names_of_their_files():
    text = "```yaml file=x.yaml wrong\na: 1\n```\n\n```expr\n1 => 1\n```\n\n```console\n$ ccm\n```\n"
    assert markdown.with_captions(text) == (
        "```{code-block} yaml\n:caption: x.yaml (with a mistake)\n\na: 1\n```\n\n"
        "```text\n1 => 1\n```\n\n```console\n$ ccm\n```\n"
    )


def test_a_link_to_a_graph_becomes_its_drawing():
    text = "Text.\n\n[Drawing: how it goes](drawings/x.dot)\n\nSee [it](drawings/x.dot).\n"
    assert markdown.with_drawings(text) == (
        "Text.\n\n```{drawing} drawings/x.dot\nHow it goes\n```\n\nSee [it](drawings/x.dot).\n"
    )


@pytest.mark.starts_processes
def test_every_page_is_in_the_navigation():
    sections = markdown.sections((ROOT / INDEX).read_text("utf-8"))
    linked = [markdown.path_of(link, INDEX) for links in sections.values() for link in links]
    assert all(sections.values())
    assert sorted({*pages_of_the_repository()} - {INDEX}) == sorted(linked)


def test_a_page_is_in_one_section():
    assert markdown.sections("# T\n[x](x.md)\n\n## A\n[a](a.md) [a](a.md#b)\n\n## B\n[a](a.md) [b](b.md)\n") == {
        "A": {"a.md": "a"},
        "B": {"b.md": "b"},
    }
    assert markdown.toctree("A", {"a.md": "It"}) == "\n```{toctree}\n:hidden:\n:caption: A\n\nIt <a>\n```\n"


def test_faults_of_pages_are_found(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "index.html").write_text(
        '<link href="https://e.org/x.css"><script src="x.js"></script><a href="https://e.org/">e</a>'
        '<p id="one"></p><p id="one"></p><a href="sub/page.html#two">t</a><a href="/abs.html">a</a>'
    )
    (tmp_path / "sub/page.html").write_text('<p id="2"></p><a href="../index.html#one">o</a><a href="#none">n</a>')
    (tmp_path / "x.js").touch()
    site = Site(tmp_path)
    assert site.faults() == [
        "index.html: https://e.org/x.css: fetched from elsewhere",
        "index.html: the anchor one is there twice",
        "index.html: sub/page.html#two: the page has no such anchor",
        "index.html: /abs.html: the link is not relative",
        "sub/page.html: #none: the page has no such anchor",
    ]
    assert (len(site.pages), site.links, site.anchors) == (2, 5, 2)


def test_what_the_site_is_made_of_has_versions():
    names = {}
    for path in ("tests/requirements.txt", "tests/site/requirements.txt"):
        for line in (ROOT / path).read_text("utf-8").splitlines():
            if not line.startswith("#"):
                name, _, version = line.partition("==")
                names[name] = names.get(name) or version
    assert all(re.match(r"\d", version) for version in names.values()), names


def test_every_declaration_has_a_place_in_the_reference():
    pages = reference.pages()
    found = list(entries())
    assert {entry.kind for entry in found} >= {*reference.PAGES, PROPERTY}
    for entry in found:
        assert pages[reference.page_of(entry)].count(f"{reference.place_of(entry)}\n") == 1, entry.name
    places = [re.findall(r'^(?:\((\S+)\)=|<span id="\S+"></span>)$', page, re.MULTILINE) for page in pages.values()]
    assert sum(map(len, places)) == len(found)
    labels = [label for of_page in places for label in of_page if label]
    assert labels and labels == [label.lower() for label in labels]


def test_what_the_reference_says_of_a_declaration():
    entry = Entry(META_KEY, "meta.x", "Is `a|b` or <c>.", ["More_text."], [("value", "a|*")], ["meta.y"])
    assert reference.section(entry, "##") == (
        "(meta-x)=\n\n## `meta.x`\n\nIs `a|b` or \\<c\\>.\n\nMore\\_text.\n\nOther names: `meta.y`\n"
        "\n- **value**: a\\|\\*\n\n"
    )


def test_a_declaration_without_an_anchor_is_found(tmp_path):
    (tmp_path / "reference").mkdir()
    (tmp_path / "reference/file.html").write_text('<p id="property-file-mode"></p>')
    missing = reference.without_anchor(Site(tmp_path))
    assert len(missing) == len(list(entries())) - 1
    assert "reference/file.md: no anchor property-file-owner for the property file.owner" in missing


def test_pages_can_be_read_without_a_mouse():
    assert accessible('<p role="heading">x</p><pre>y</pre><a aria-role="button">z</a>') == (
        '<p role="heading" aria-level="2">x</p><pre tabindex="0">y</pre><a role="button">z</a>'
    )
    table = '<div class="table-wrapper docutils"><th class="head"><p></p></th><th class="head"><p>a</p></th></div>'
    assert accessible(f'<aside class="toc-drawer"></aside>{table}') == (
        '<aside class="toc-drawer" aria-label="Headings of this page"></aside>'
        '<div tabindex="0" class="table-wrapper docutils"><td></td><th class="head"><p>a</p></th></div>'
    )
