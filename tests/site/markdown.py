# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Markdown of the repository as pages of the site: links lead to where the pages are, blocks have captions."""

from __future__ import annotations

import posixpath
import re
from typing import Iterator

FENCE = re.compile(r"^```(?P<words>[^\n`]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"^```.*?^```$|(?<!`)(`+)(?!`)(?:(?!\n\n).)+?(?<!`)\1(?!`)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?:\]\(\s*<?|^ *\[[^\]\n]+\]:\s*<?)(?P<target>[^)\s#>]+)", re.MULTILINE)
DRAWING = re.compile(r"(?<=\n\n)\[Drawing: ([^\]]+)\]\(([^)\s]+\.dot)\)(?=\n\n|\n?\Z)")
SECTION = re.compile(r"^## (.*)$", re.MULTILINE)
# What the blocks of the guides are called, where Pygments has no such language.
LANGUAGES = {"expr": "text", "template": "text", "conf": "text"}
NOTES = {"wrong": " (with a mistake)", "doubtful": " (with a finding of lint)"}


def links(text: str) -> Iterator[re.Match[str]]:
    """Give the links of a text to files of the repository, without those in code."""
    code = [found.span() for found in CODE.finditer(text)]
    for link in LINK.finditer(text):
        if is_file(link["target"]) and not any(begin <= link.start("target") < end for begin, end in code):
            yield link


def targets(text: str, page: str) -> Iterator[str]:
    """Give the files of the repository to which a page links, by their paths; `page` is its own path."""
    for link in links(text):
        yield path_of(link["target"], page)


def is_file(target: str) -> bool:
    """Return whether the target of a link is a file of the repository."""
    return not re.match(r"[a-z][a-z0-9+.-]*:", target)


def path_of(target: str, page: str) -> str:
    """Return the path of what a page links to."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), target))


def with_links(text: str, page: str, places: dict[str, str]) -> str:
    """Return the text with links to where the files are in the site; `places` has their paths there."""
    here = posixpath.dirname(places[page]) or "."
    parts = []
    end = 0
    for link in links(text):
        target = posixpath.relpath(places[path_of(link["target"], page)], here)
        parts += [text[end : link.start("target")], target]
        end = link.end("target")
    return "".join([*parts, text[end:]])


def with_captions(text: str) -> str:
    """Return the text with the name of its file above each block that is one."""

    def block(found: re.Match[str]) -> str:
        words = found["words"].split() or ["text"]
        language = LANGUAGES.get(words[0], words[0])
        if not words[1:] or not words[1].startswith("file="):
            return f"```{language}\n{found['text']}```"
        caption = words[1].partition("=")[2] + "".join(NOTES[word] for word in words[2:])
        return f"```{{code-block}} {language}\n:caption: {caption}\n\n{found['text']}```"

    return FENCE.sub(block, text)


def with_drawings(text: str) -> str:
    """Return the text with a drawing in place of each paragraph that is only a link `[Drawing: …](….dot)`."""
    return DRAWING.sub(lambda link: f"```{{drawing}} {link[2]}\n{link[1][0].upper()}{link[1][1:]}\n```", text)


def sections(text: str) -> dict[str, dict[str, str]]:
    """Return the sections of a page: the files that each links to, without those of earlier ones, and their words."""
    parts = SECTION.split(text)
    seen: set[str] = set()
    found: dict[str, dict[str, str]] = {}
    for title, part in zip(parts[1::2], parts[2::2], strict=True):
        found[title] = {}
        for link in links(part):
            if link["target"] not in seen:
                words = part[: link.start()].rpartition("[")[2]
                found[title][link["target"]] = " ".join(words.split())
            seen.add(link["target"])
    return found


def toctree(caption: str, pages: dict[str, str]) -> str:
    """Return the Markdown that puts pages into the navigation of the site, each with the words for it."""
    names = "".join(f"{words} <{page.rpartition('.')[0]}>\n" for page, words in pages.items())
    return f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{names}```\n"
