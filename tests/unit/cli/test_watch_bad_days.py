# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `ccm watch` does in bad days: a manifest that becomes anything, thousands of foreign files, the end of its time.

CCM_WATCH_DAMAGES is the number of damaged manifests, CCM_FOREIGN_FILES the number of files below a scaffold.
"""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from tests.patience import LIMIT, PATIENCE, wait_until
from tests.seed import chance
from tests.unit.cli.state_attack.damage import KINDS
from tests.unit.watching import content

pytestmark = [pytest.mark.starts_processes, pytest.mark.soak]

COUNT = int(os.environ.get("CCM_WATCH_DAMAGES", "8"))
FOREIGN = int(os.environ.get("CCM_FOREIGN_FILES", "2000"))
#: What takes the place of the manifest: the content of a file, or what makes something else at a path.
FORMS = {
    "nothing": lambda path: None,
    "an empty file": lambda path: path.write_bytes(b""),
    "zero bytes": lambda path: path.write_bytes(bytes(100_000)),
    "random bytes": lambda path: path.write_bytes(chance("a manifest").randbytes(1000)),
    "UTF-16": lambda path: path.write_text("ccm: {resources: []}", encoding="utf-16"),
    "a deep list": lambda path: path.write_bytes(b"[" * 5000),
    "a list in itself": lambda path: path.write_bytes(b"&a [*a]"),
    "30 MB": lambda path: path.write_bytes(b"x" * 30_000_000),
    "a FIFO": os.mkfifo,
    "a directory": lambda path: path.mkdir(),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link to nothing": lambda path: path.symlink_to("/nowhere"),
    "a device without end": lambda path: path.symlink_to("/dev/zero"),
    "the memory of a process": lambda path: path.symlink_to("/proc/self/mem"),
}


def removed(path):
    """Remove what is at a path."""
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    else:
        path.unlink(missing_ok=True)


@pytest.mark.timeout(LIMIT + PATIENCE * (COUNT + len(FORMS)))
def test_a_manifest_that_becomes_anything_leaves_the_one_before_at_work(watching, tmp_path):
    path, new = tmp_path / "m.yaml", tmp_path / "new"
    # A file that is repaired too often would have to wait.
    names = [f"f{number}" for number in range(20)]
    watching.write(*map(watching.file, names))
    good = path.read_bytes()
    drawn = chance("damaged manifests")

    def damage(path):
        path.write_bytes(drawn.choice(KINDS)(good, drawn))

    forms = [*FORMS.items(), *((f"damage {number}", damage) for number in range(COUNT))]
    said = ("The manifest is not used", "The manifest was read again")

    def count():
        return sum(map(watching.count, said))

    with watching.started("--status-file", tmp_path / "status"):
        watching.rest()
        memory, descriptors = watching.memory(), len(watching.descriptors())
        for number, (name, form) in enumerate(forms):
            before, file = count(), tmp_path / names[number % len(names)]
            if path.is_file():
                form(new)
                removed(path)
                if os.path.lexists(new):
                    new.rename(path)
            wait_until(lambda before=before: count() > before)
            before = count()
            removed(path)
            new.write_bytes(good)
            new.rename(path)
            wait_until(lambda before=before: count() > before)
            file.unlink(missing_ok=True)
            wait_until(content(file))
            assert watching.process.poll() is None, name
        watching.rest()
        assert len(watching.descriptors()) == descriptors
        print(f"{len(forms)} manifests, {memory:.1f} MiB before, {watching.memory():.1f} MiB after")


@pytest.mark.timeout(LIMIT + PATIENCE + FOREIGN // 100)
def test_foreign_files_below_a_scaffold_do_not_hold_it_up(watching, tmp_path):
    """They are watched, and left alone."""
    tree, source = tmp_path / "tree", tmp_path / "source"
    for directory in (tree, source):
        directory.mkdir()
    (source / "t").write_text("text\n")
    for number in range(FOREIGN):
        parent = tree / str(number // 1000)
        parent.mkdir(exist_ok=True)
        (parent / str(number)).touch()
    scaffold = {"ensure": "present", "source": "source", "engine": "jet"}
    watching.write({"scaffold": [{str(tree): scaffold}]}, watching.file("one"))
    with watching.started():
        watching.rest()
        for path in (tree / "t", tmp_path / "one", tree / "t"):
            path.unlink()
            wait_until(content(path))
        shutil.rmtree(tree / "0")
        (tree / "t").unlink()
        wait_until(content(tree / "t"))
        wait_until(lambda: watching.count("tree changed") == 4)
        print(f"{FOREIGN} foreign files, {watching.memory():.1f} MiB")


def lines(watching):
    """Return a resource with a command that goes on writing lines."""
    return watching.appending("lines", "log", meta={"watch_command": "yes"})


def endless(watching):
    """Return a resource with a command that never ends."""
    return watching.exec("waits", "sleep 1000")


def removed_again(watching):
    """Return a resource that a program removes as often as it is repaired."""
    return watching.file("one")


@pytest.mark.parametrize("resource", [lines, endless, removed_again], ids=lambda resource: resource.__name__)
def test_its_time_ends_whatever_goes_on(watching, tmp_path, resource):
    watching.write(watching.file("before"), resource(watching))
    program = subprocess.Popen(["sh", "-c", f"while sleep 0.01; do rm -f {tmp_path}/one; done"])
    try:
        with watching.started("--max-runtime", "2s"):
            assert watching.process.wait(PATIENCE) == 0
    finally:
        program.kill()
        program.wait()
    assert content(tmp_path / "before")()
