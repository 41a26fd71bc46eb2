# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check the HTML of the site: pages and anchors of links exist, and a browser fetches nothing from elsewhere."""

from __future__ import annotations

import pathlib
import posixpath
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

# What a browser fetches by itself, and not only when someone follows a link.
FETCHED = {("link", "href"), *((tag, "src") for tag in ("script", "img", "iframe", "source", "video", "audio"))}


class Page(HTMLParser):
    """A page: its anchors, its links, and what is fetched with it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.twice: set[str] = set()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                (self.twice if value in self.anchors else self.anchors).add(value)
            if (tag, name) in FETCHED and value:
                self.fetched.append(value)
            if (tag, name) in {("a", "href"), ("a", "xlink:href")} and value:
                self.links.append(value)


class Site:
    """The HTML files below a folder."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        self.pages = {
            name: Page((folder / name).read_text("utf-8")) for name in sorted(self.files) if name.endswith(".html")
        }
        self.links = sum(len(page.links) for page in self.pages.values())
        self.anchors = sum(len(page.anchors) for page in self.pages.values())

    def faults(self) -> list[str]:
        """Return what is wrong, a line each."""
        found = []
        for name, page in self.pages.items():
            found += [f"{name}: {target}: fetched from elsewhere" for target in page.fetched if urlsplit(target).netloc]
            found += [f"{name}: the anchor {anchor} is there twice" for anchor in sorted(page.twice)]
            for target in [*page.links, *page.fetched]:
                if reason := self._reason(name, target):
                    found.append(f"{name}: {target}: {reason}")
        return found

    def _reason(self, name: str, target: str) -> str:
        link = urlsplit(target)
        if link.scheme or link.netloc:
            return ""
        if link.path.startswith("/"):
            return "the link is not relative"
        path = name
        if link.path:
            path = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(link.path)))
        if path not in self.files:
            return "there is no such file"
        if link.fragment and path in self.pages and unquote(link.fragment) not in self.pages[path].anchors:
            return "the page has no such anchor"
        return ""
