# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sections, decisions and headings of the documentation that plugins and tests cite exist.

Citations have these forms; a line can end at each blank in them:

- `behaviour.md 7.1`, and several sections: `behaviour.md 9, 9.1`, `behaviour.md 18 and 19.3`;
- `behaviour.md 16, Sources` and `behaviour.md, "words"`: the section, or the page, contains the word;
- `decisions.md Q2`, and several numbers: `decisions.md Q26, Q55`, `decisions.md Q21-Q23`, `decisions Q30 and Q31`;
- `decisions.md, Extensions` and `architecture.md, Snapshots`: the page has the heading.

A number alone, as in `mended: Q7` or `(Q30)`, is the number of a decision.
"""

from __future__ import annotations

import json
import re

import pytest

from .layout import ROOT, tracked

PAGES = {name: ROOT / f"docs/design/{name}.md" for name in ("behaviour", "decisions")}
PAGES["architecture"] = ROOT / "docs/architecture.md"
SECTION = r"\d+(?:\.\d+)?"
JOINED = r"(?:,| and)\s+"
WORD = r"[A-Z][a-z]+|[a-z]+-[a-z]+"
CITED_SECTIONS = re.compile(rf"behaviour\.md`?\s+(?:section\s+)?({SECTION}(?:{JOINED}{SECTION})*)(?:,\s+({WORD}))?")
CITED_WORDS = re.compile(r'behaviour\.md,\s+\\?"([^"\\]+)')
CITED_NUMBERS = re.compile(rf"\bdecisions?(?:\.md)?`?\s+(Q\d+(?:-Q\d+|{JOINED}Q\d+)*)")
CITED_HEADING = re.compile(r"\b(decisions|architecture)\.md`?,\s+([A-Z][a-z]+(?: [a-z]+)*)")
NUMBER = re.compile(r"\bQ(\d+)(?:-Q(\d+))?\b")
# Names of documents that are not in the repository. This file, which contains them, is not searched.
GONE = re.compile(r"\b(?:features|libraries|design)\.md|\.\./spec/")


def page(name):
    return PAGES[name].read_text(encoding="utf-8")


def sections():
    """Return the sections of the page on behaviour by number, each with its text and the texts of its subsections."""
    parts = re.split(rf"^##+ ({SECTION}) ", page("behaviour"), flags=re.MULTILINE)
    found = dict(zip(parts[1::2], parts[2::2], strict=True))
    for number, text in list(found.items()):
        above = number.partition(".")[0]
        if above != number:
            found[above] += text
    return found


def decision_numbers():
    """Return the numbers that the page on decisions has a row for."""
    return {int(number) for number in re.findall(r"^\| Q(\d+) \|", page("decisions"), re.MULTILINE)}


def headings(name):
    return re.findall(r"^##+ (.*)$", page(name), re.MULTILINE)


def numbers(text):
    """Return the numbers of decisions in a text, with ranges."""
    found = set()
    for first, last in NUMBER.findall(text):
        found |= set(range(int(first), int(last or first) + 1))
    return found


def texts():
    """Return the path and text of each tracked file of plugins and tests that can contain citations."""
    for path in tracked("plugins", "tests"):
        if path.suffix in (".py", ".md", ".yaml", ".yml", ".jsonl") and path.name != "test_citations.py":
            yield str(path), (ROOT / path).read_text(encoding="utf-8")


TEXTS = dict(texts())


def unknown_citations(cited, known):
    """Return citations of unknown targets, with their file; `cited` returns the citations of a text."""
    return [(path, citation) for path, text in TEXTS.items() for citation in cited(text) if citation not in known]


def cited_sections(text):
    return [number for listed, _word in CITED_SECTIONS.findall(text) for number in re.findall(SECTION, listed)]


def cited_numbers(text):
    return [number for listed in CITED_NUMBERS.findall(text) for number in sorted(numbers(listed))]


def cited_headings(text):
    return CITED_HEADING.findall(text)


def test_sections_and_numbers_are_unique():
    cited = re.findall(rf"^##+ ({SECTION}) ", page("behaviour"), re.MULTILINE)
    assert len(cited) == len(set(cited))
    listed = re.findall(r"^\| Q(\d+) \|", page("decisions"), re.MULTILINE)
    assert len(listed) == len(set(listed))


def test_cited_sections_exist():
    assert sum(len(cited_sections(text)) for text in TEXTS.values()) > 100
    assert unknown_citations(cited_sections, sections()) == []


def test_cited_words_exist():
    found = sections()
    for path, text in TEXTS.items():
        for listed, word in CITED_SECTIONS.findall(text):
            assert word in found[re.findall(SECTION, listed)[-1]], (path, listed, word)
        for words in CITED_WORDS.findall(text):
            assert words in page("behaviour"), (path, words)


def test_cited_decisions_exist():
    assert sum(len(cited_numbers(text)) for text in TEXTS.values()) > 50
    assert unknown_citations(cited_numbers, decision_numbers()) == []


def test_numbers_in_code_and_cases_are_decisions():
    known = decision_numbers()
    for path, text in TEXTS.items():
        if path.startswith("plugins/"):
            lines = [line for line in text.splitlines() if "Q" in line]
        else:
            lines = re.findall(r"^mended: .*$", text, re.MULTILINE) if path.endswith(".yaml") else []
        assert numbers("\n".join(lines)) <= known, path


@pytest.mark.parametrize("path", [path for path in TEXTS if path.endswith(".jsonl")])
def test_numbers_in_vectors_are_decisions(path):
    mended = {vector.get("mended", "") for vector in map(json.loads, TEXTS[path].splitlines()) if "id" in vector}
    assert numbers(" ".join(map(str, mended))) <= decision_numbers()


def test_cited_headings_exist():
    known = {(name, heading) for name in ("decisions", "architecture") for heading in headings(name)}
    cited = {citation for text in TEXTS.values() for citation in cited_headings(text)}
    assert {heading for _name, heading in cited} >= {"Extensions", "Grouping of packages", "Snapshots", "Imports"}
    assert unknown_citations(cited_headings, known) == []


def test_nothing_cites_documents_that_are_not_in_the_repository():
    assert [(path, found) for path, text in TEXTS.items() for found in GONE.findall(text)] == []


def test_citations_are_parsed():
    assert cited_sections("(behaviour.md 9, 9.1), behaviour.md\n    18 and 19.3; behaviour.md 2.7, Q2") == [
        *("9", "9.1", "18", "19.3", "2.7")
    ]
    assert cited_sections("(`docs/design/behaviour.md` 24), behaviour.md section 16") == ["24", "16"]
    assert cited_numbers("decisions.md Q21-Q23, Q63; decisions Q30 and Q31, decision Q7") == [21, 22, 23, 63, 30, 31, 7]
    assert cited_headings("architecture.md, Snapshots) decisions.md, Grouping of packages); decisions.md: at most") == [
        ("architecture", "Snapshots"),
        ("decisions", "Grouping of packages"),
    ]
