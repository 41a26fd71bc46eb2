# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Build the site of the documentation in build/site/html: python -m tests.site.build

Its pages are the Markdown files of the repository (docs/index.md has the order), the reference from the declarations,
and the collection by antsibull-docs. Sphinx of .venv-site makes them; `make site` makes both environments. Every
warning is an error, and so is a link that leads nowhere, a declaration without an anchor, and anything that a browser
would fetch from elsewhere.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from ccm.cli.reference import entries

from . import collection, markdown, reference
from .check import Site
from .files import page_of_files
from .graphs import with_graph
from .layout import BUILD, ROOT, SOURCE, pages_of_the_repository

HTML = BUILD / "html"
INDEX = "docs/index.md"
GALLERY = "docs/gallery/"


def repository() -> dict[str, str]:
    """The pages from files of the repository, by their paths in the site."""
    places = pages_of_the_repository()
    texts = {page: (ROOT / page).read_text("utf-8") for page in places}
    beside = {
        target for page, text in texts.items() if page.endswith(".md") for target in markdown.targets(text, page)
    } - set(places)
    made: dict[str, str] = {}
    for target in sorted(beside):
        if pathlib.PurePath(target).suffix in (".svg", ".dot"):
            places[target] = target.removeprefix("docs/")
            made[places[target]] = (ROOT / target).read_text("utf-8")
        else:
            places[target] = f"files/{target.replace('/', '-').lstrip('.')}.md"
            made[places[target]] = page_of_files(target)
    for page, text in texts.items():
        if page.endswith(".md"):
            text = markdown.with_links(text, page, places)
            if page.startswith(GALLERY):
                drawing = f"{places[page].rpartition('.')[0]}.dot"
                text, made[drawing] = with_graph(text, drawing.rpartition("/")[2])
            text = markdown.with_drawings(markdown.with_captions(text))
        made[places[page]] = text
    return made


def staged() -> dict[str, str]:
    """Every page of the site, by its path there."""
    made = repository()
    made |= reference.pages() | collection.pages()
    places = pages_of_the_repository()
    trees = []
    for caption, links in markdown.sections((ROOT / INDEX).read_text("utf-8")).items():
        paths = {markdown.path_of(link, INDEX): words for link, words in links.items()}
        trees.append(
            markdown.toctree(caption, {places[path]: words for path, words in paths.items() if path in places})
        )
    trees.append(markdown.toctree("Reference", {reference.INDEX: "Reference", collection.INDEX: "The collection"}))
    made["index.md"] += "".join(trees)
    return made


def write(pages: dict[str, str]) -> None:
    """Write the pages where Sphinx reads them, and nothing else: each page has the navigation to all others."""
    shutil.rmtree(BUILD, ignore_errors=True)
    for name, text in pages.items():
        path = SOURCE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def sphinx() -> int:
    """Make the pages; return the status of Sphinx."""
    command = [ROOT / ".venv-site/bin/sphinx-build", "--builder=html", "--quiet", "--fail-on-warning", "--keep-going"]
    command += [f"--conf-dir={pathlib.Path(__file__).parent}", f"--doctree-dir={BUILD / 'doctrees'}", SOURCE, HTML]
    with tempfile.TemporaryDirectory(prefix="ccm-site-") as work:
        return subprocess.run(command, check=False, env={**os.environ, "TMPDIR": work}).returncode


def accessible(page: str) -> str:
    """Return a page of HTML with what readers without a mouse or a screen need and the theme leaves out."""
    page = page.replace('role="heading">', 'role="heading" aria-level="2">').replace(' aria-role="', ' role="')
    page = page.replace('<aside class="sidebar-drawer">', '<aside class="sidebar-drawer" aria-label="All pages">')
    page = page.replace('<aside class="toc-drawer">', '<aside class="toc-drawer" aria-label="Headings of this page">')
    # What is wider than the screen is moved with the keys once it has the focus.
    page = page.replace('<div class="table-wrapper', '<div tabindex="0" class="table-wrapper')
    return page.replace("<pre>", '<pre tabindex="0">').replace('<th class="head"><p></p></th>', "<td></td>")


def main() -> int:
    began = time.monotonic()
    if not (ROOT / ".venv-site/bin/sphinx-build").exists():
        sys.exit("Sphinx is missing: make site makes its environment, .venv-site")
    pages = staged()
    write(pages)
    if status := sphinx():
        return status
    for path in HTML.rglob("*.html"):
        path.write_text(accessible(path.read_text("utf-8")), encoding="utf-8")
    site = Site(HTML)
    missing = reference.without_anchor(site)
    faults = [*site.faults(), *missing]
    declared = len(list(entries()))
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{HTML}/index.html, in {time.monotonic() - began:.0f} s")
    print(f"{len(site.pages)} pages, {site.links} links, {site.anchors} anchors")
    print(f"{declared} declarations, {declared - len(missing)} of them with an anchor")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
