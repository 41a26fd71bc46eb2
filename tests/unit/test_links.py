# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Links of the tracked Markdown files have targets that are tracked too, and headings that exist.

A page that `make docs` writes is no target: readers of the repository do not have it. Links with a scheme are not
followed.
"""

from __future__ import annotations

import posixpath
import re

import pytest

from .layout import ROOT, tracked

FILES = {str(path) for path in tracked()}
FOLDERS = {posixpath.join(*path.parts[:depth]) for path in tracked() for depth in range(1, len(path.parts))}
PAGES = {str(path): (ROOT / path).read_text(encoding="utf-8") for path in tracked("*.md")}
BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
# The target and the heading of [text](target#heading "title"), and of [text]: target#heading in a line of its own.
END = r"<?([^)\s#>]*)(?:#([^)\s>]*))?"
LINKS = [re.compile(rf"\]\(\s*{END}"), re.compile(rf"^ *\[[^\]]+\]:\s*{END}", re.MULTILINE)]


def links(text):
    """Return the links of a page, without examples: the target and the heading of each."""
    text = re.sub(r"`[^`\n]+`", "", BLOCK.sub("", text))
    return [link for form in LINKS for link in form.findall(text) if not re.match(r"[a-z][a-z0-9+.-]*:", link[0])]


def anchors(text):
    """Return the names that links use for the headings of a page; the second of equal headings has the name NAME-1."""
    headings = re.findall(r"^#+ (.*)$", BLOCK.sub("", text), re.MULTILINE)
    names = [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]
    again = [names[:at].count(name) for at, name in enumerate(names)]
    return [f"{name}-{count}" if count else name for name, count in zip(names, again, strict=True)]


def broken(page, pages=PAGES, files=FILES, folders=FOLDERS):
    """Return the links of a page that lead nowhere, each with the reason."""
    wrong = []
    for target, heading in links(pages[page]):
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), target)) if target else page
        if path not in files and path not in folders:
            wrong.append(f"{target}: git has no such file")
        elif heading and heading not in anchors(pages.get(path, "")):
            wrong.append(f"{target}#{heading}: the page has no such heading")
    return wrong


@pytest.mark.parametrize("page", sorted(PAGES))
def test_links_have_a_target(page):
    wrong = broken(page)
    assert not wrong, "\n".join(wrong)


def test_broken_links_are_found():
    text = """\
[a](other.md) [b](other.md#two-words) [c](#here "title") [d](../x) [e](https://e.org/x.md#y) [f](mailto:a@b)
`[code](none.md)`

## Here

```text
[example](none.md)
## Not a heading
```

[g](none.md) [h](other.md#three) [i](#not-a-heading) [j](other.md#two-words-1)
[k](other.md#two-words-2) [l][ref] [m]( <none.md#x> )

[ref]: made/page.md
"""
    pages = {"docs/a.md": text, "docs/other.md": "# Two words\n## `Two` words\n"}
    assert broken("docs/a.md", pages, set(pages), {"docs", "x"}) == [
        "none.md: git has no such file",
        "other.md#three: the page has no such heading",
        "#not-a-heading: the page has no such heading",
        "other.md#two-words-2: the page has no such heading",
        "none.md: git has no such file",
        "made/page.md: git has no such file",
    ]
