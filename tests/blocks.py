# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fenced blocks of the documentation. README.md and CONTRIBUTING.md are tested like the guides.

The first line of a block names its kind. What runs with the unit tests (tests/unit/test_docs.py):

- `yaml manifest`: a manifest that our validation and the schema accept, and in which lint finds nothing;
- `yaml manifest wrong`: one that our validation refuses;
- `yaml file=NAME`, `sh file=NAME`, `html file=NAME`: a file for the commands below it, in a directory of the
  page, and a manifest if it has the form of one (`yaml file=NAME wrong`: a wrong one, `doubtful`: lint warns about it);
- `console`: commands after `$`, and their output; `...` matches any text, within a line or in place of lines;
- `expr`: lines `expression => its value as text`, or `=> error: TEXT`, with the facts, data and environment of FACTS,
  DATA and ENVIRON;
- `template`: the same for whole texts;
- `yaml play`, `yaml tasks`: a playbook or tasks, which run on this machine in check mode (`yaml tasks run`: without
  check mode), with the files of STAND_INS where the page has none; there and in `console`, a stand-in reports every
  service as running (systemctl.py);
- `conf file=NAME`, `json file=NAME`: a file; in the page about NATS, a free port takes the place of 4222.

Where the others run:

- `yaml rulebook`: a rulebook of event-driven Ansible (tests/unit/test_event_source.py);
- `python`, `toml`: a part of an example whose tests run (tests/unit/resources/test_installed.py), a declaration
  (tests/unit/test_docs.py), or a test on a host (tests/hosts/test_guides.py);
- `console types`: commands and their output with the smallest type of the examples (test_installed.py);
- `yaml tasks nats`: tasks beside a NATS server (tests/integration/test_guides.py);
- `yaml tasks types`, `yaml manifest types`: with types that the collection acme.web offers (the same);
- `yaml workflow`: steps of a workflow of GitHub (tests/publishing/test_hooks.py);
- `console host`, `sh host`: as root on a booted host, beside the files of the page (tests/hosts/test_guides.py); each
  command of a block `sh` must succeed, its output is not looked at;
- `sh install`: the same on a host with the network of this machine, in a clone with the packages of the command
  (`sh install dnf`: on the host with dnf);
- `sh clone`: in a clone on this machine (tests/hosts/test_guides_in_clones.py); `sh tests`: the same, commands that run
  the tests; `sh repository`: in the repository of a role, with the tarball of the collection;
- `sh docker`, `sh podman`: in a clone, where the engine runs (tests/integration/test_container_engines.py).

`text` is no code, or a part of a file that means nothing alone. `/tmp` in files and commands is replaced by a directory
of the test.

`sh install`, `sh clone` and `sh repository` take minutes, and fetch packages: they run for pages that differ from the
branch `main` of `origin`, and for all pages in `make guides`, which makes the same of `make soak`. `sh tests`,
`sh docker` and `sh podman` run in `make guides` only: `make test` cannot run itself.
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
import subprocess

from .tools.running import ROOT

PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs/gallery").glob("*.md")),
]
FENCE = re.compile(r"^```(\S[^\n]*)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)

#: The first lines of blocks that are no files.
KINDS = {
    tuple(kind.split())
    for kind in (
        "text",
        "python",
        "toml",
        "expr",
        "template",
        "console",
        "console host",
        "console types",
        "sh host",
        "sh install",
        "sh install dnf",
        "sh clone",
        "sh tests",
        "sh repository",
        "sh docker",
        "sh podman",
        "yaml manifest",
        "yaml manifest wrong",
        "yaml manifest types",
        "yaml play",
        "yaml tasks",
        "yaml tasks run",
        "yaml tasks nats",
        "yaml tasks types",
        "yaml rulebook",
        "yaml workflow",
    )
}

#: Whether all blocks run, also those that take long: `make guides` sets it.
ALL = os.environ.get("CCM_BLOCKS") == "all"


@dataclasses.dataclass(frozen=True)
class Block:
    """A fenced block: the words of its first line, its content, its page, and its number there, from 1."""

    words: tuple[str, ...]
    text: str
    page: pathlib.Path
    number: int

    @property
    def name(self) -> str:
        """The path of the file that the block is, empty for others."""
        return self.words[1].partition("=")[2] if self.words[1:2] and self.words[1].startswith("file=") else ""

    @property
    def known(self) -> bool:
        """Whether the first line is one of the above, a file below the directory of the page."""
        below = bool(self.name) and not self.name.startswith(("/", ".."))
        return self.words in KINDS or (below and self.words[2:] in ((), ("wrong",), ("doubtful",)))

    @property
    def is_manifest(self) -> bool:
        """Whether it is a file with a manifest."""
        return bool(self.name) and self.words[0] == "yaml" and "\nccm:" in "\n" + self.text

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)} {self.number}"


def blocks(page: pathlib.Path) -> list[Block]:
    """Return the fenced blocks of a page in order."""
    found = FENCE.findall(page.read_text(encoding="utf-8"))
    return [Block(tuple(kind.split()), text, page, number) for number, (kind, text) in enumerate(found, 1)]


def pages_with(*kinds: str) -> list[pathlib.Path]:
    """Return the pages that have a block of one of these kinds."""
    wanted = {tuple(kind.split()) for kind in kinds}
    return [page for page in PAGES if any(block.words in wanted for block in blocks(page))]


def changed(page: pathlib.Path) -> bool:
    """Return whether a page differs from the branch `main` of `origin`, or from the last commit."""
    for base in ("origin/main...HEAD", "HEAD"):
        asked = ["git", "diff", "--name-only", base, "--", str(page)]
        done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.stdout.strip():
            return True
    return False
