# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which blocks of the documentation run, how their output is compared, and how they are counted."""

from __future__ import annotations

import types

import pytest

from tests import blocks, blocks_run
from tests.clones import git
from tests.scripts import commands_of, matches

PAGE = """
```text
not a command
```

```yaml file=site/a.yaml
a: 1
```

```sh clone
cat site/a.yaml
```

```sh docker
docker run site
```
"""


def write(place, text):
    path = place / "page.md"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.starts_processes
def test_a_page_is_changed_where_it_differs_from_the_branch_main_of_origin(tmp_path, monkeypatch):
    first = tmp_path / "first"
    first.mkdir()
    git(first, "init", "--quiet", "--initial-branch=main")
    write(first, "one\n")
    git(first, "add", "--all")
    git(first, "commit", "--quiet", "--message", "one")
    git(tmp_path, "clone", "--quiet", str(first), "second")
    monkeypatch.setattr(blocks, "ROOT", tmp_path / "second")
    page = tmp_path / "second/page.md"
    assert not blocks.changed(page)
    write(page.parent, "two\n")
    assert blocks.changed(page)
    git(page.parent, "commit", "--quiet", "--all", "--message", "two")
    assert blocks.changed(page)
    git(page.parent, "remote", "remove", "origin")
    assert not blocks.changed(page)
    write(page.parent, "three\n")
    assert blocks.changed(page)


def test_a_file_is_written_where_the_commands_below_it_run(tmp_path, monkeypatch):
    monkeypatch.setattr(blocks, "ROOT", tmp_path)
    script, found = commands_of(write(tmp_path, PAGE), {"sh clone": "/clone"}, {"a: 1": "a: 2"})
    assert script.index("cd /clone\n") < script.index("cat > site/a.yaml") < script.index("\ncat site/a.yaml")
    assert ("a: 2" in script, "a: 1" in script, "docker" in script) == (True, False, False)
    assert [block.number for block in found] == [2, 3]


def reported(block, when="call", **outcome):
    outcome = {"passed": False, "skipped": False, **outcome}
    return types.SimpleNamespace(user_properties=[(blocks_run.BLOCK, str(block))], when=when, **outcome)


def test_a_block_that_no_test_ran_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(blocks, "ROOT", tmp_path)
    page = write(tmp_path, PAGE)
    monkeypatch.setattr(blocks_run, "PAGES", [page])
    _text, file, clone, docker = blocks.blocks(page)
    count = blocks_run.Count()
    count.pytest_runtest_logreport(reported(file, passed=True))
    count.pytest_runtest_logreport(reported(clone))
    count.pytest_runtest_logreport(reported(clone, when="teardown", passed=True))
    count.pytest_runtest_logreport(reported(docker, skipped=True))
    lines = []
    count.pytest_terminal_summary(types.SimpleNamespace(write_line=lines.append))
    assert lines == [
        "blocks: 4 found in 1 pages, 1 of them text; 1 run, 1 left out",
        "not run: page.md 3: ```sh clone",
    ]
    session = types.SimpleNamespace(exitstatus=0, config=object())
    count.pytest_sessionfinish(session)
    assert session.exitstatus == pytest.ExitCode.TESTS_FAILED
    count.pytest_runtest_logreport(reported(clone, passed=True))
    session.exitstatus = 0
    count.pytest_sessionfinish(session)
    assert session.exitstatus == 0


def test_output_is_compared():
    assert matches("a ... c\n...\nend", "a b c\nx\ny\nend\n")
    assert matches("", "\n")
    assert not matches("a", "b")
    assert not matches("a", "a\nb")
    assert not matches("", "a")
    assert not matches("...\nend", "end\nmore\n")
